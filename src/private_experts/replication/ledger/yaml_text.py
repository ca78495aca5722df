"""Reading YAML with libyaml where PyYAML was built with it, which takes a seventh of the time."""

import math
from pathlib import Path
from typing import Any

import yaml

from private_experts.errors import InputError
from private_experts.replication.files import require_file

LARGEST = 1 << 24  # bytes of a file
SPECIAL = ("tag:yaml.org,2002:merge", "tag:yaml.org,2002:value")  # keys that stand for no value
MOST_VALUES = 1_000_000
REPEATED = (
    f"its aliases (*) make it more than {MOST_VALUES:,} values, or a part of itself; write what they stand "
    "for"
)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Refuses a key that appears twice in one mapping, of which YAML's own loaders take the last."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._seen: set[int] = set()

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Check keys as they are written: later those of merged mappings join (``<<``)."""
        # Merged mappings are flattened again for each use, and then hold keys that nobody wrote twice.
        if id(node) not in self._seen:
            self._seen.add(id(node))
            keys = set()
            for key, _ in node.value:
                name: Any = (key.tag, str(key.value))
                if isinstance(key, yaml.ScalarNode) and key.tag not in SPECIAL:
                    name = self.construct_object(key)  # 1 and 0x1 are one key
                if name in keys:
                    raise yaml.constructor.ConstructorError(
                        problem=f"key {key.value!r} appears twice; keep one of them",
                        problem_mark=key.start_mark,
                    )
                keys.add(name)
        super().flatten_mapping(node)
        if len(node.value) > MOST_VALUES:
            raise yaml.YAMLError(REPEATED)


def _expanded(value: Any, sizes: dict[int, float]) -> float:
    """Return how many values there are, with what aliases repeat; infinitely many where one holds itself."""
    if not isinstance(value, dict | list | tuple):
        return 1
    if id(value) not in sizes:
        # A value that is met again before it is counted holds itself.
        sizes[id(value)] = math.inf  # until it is counted
        sizes[id(value)] = 1 + sum(
            _expanded(item, sizes) for item in (value.values() if isinstance(value, dict) else value)
        )
    return sizes[id(value)]


def load_yaml(text: str) -> Any:
    """Return YAML's value. Raise `yaml.YAMLError` if it is invalid, has keys twice, or is too large."""
    try:
        value = yaml.load(text, Loader=_Loader)
        if _expanded(value, {}) > MOST_VALUES:
            raise yaml.YAMLError(REPEATED)
        return value
    except (ValueError, ArithmeticError, AttributeError, LookupError, TypeError, RecursionError) as error:
        # PyYAML lets these out for scalars that look like dates or numbers and are none, and for what nests
        # too deeply.
        raise yaml.YAMLError(f"{type(error).__name__}: {error}") from error


def read_yaml(path: Path) -> Any:
    """Return what a YAML file says; refuse one that cannot be read or is not valid."""
    require_file(Path(path), LARGEST, "name a YAML file")
    try:
        return load_yaml(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path}: is not valid YAML ({' '.join(str(error).split())})") from error
