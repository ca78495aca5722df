"""Reading YAML with libyaml where PyYAML was built with it, which takes a seventh of the time."""

from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_yaml(text: str) -> Any:
    """Return what a YAML text says. Raise `yaml.YAMLError` if it is none."""
    try:
        return yaml.load(text, Loader=_LOADER)
    except (ValueError, ArithmeticError, AttributeError, LookupError, TypeError, RecursionError) as error:
        # PyYAML lets these out for scalars that look like dates or numbers and are none, and for what nests too deeply.
        raise yaml.YAMLError(f"{type(error).__name__}: {error}") from error
