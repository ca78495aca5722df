"""What a bare system is told of this machine: how packages are reached, and nothing else."""

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path

# Options of pip that say how packages are reached. The others are a person's taste, and a bare system has none.
REACHING = {"index-url", "extra-index-url", "find-links", "no-index", "trusted-host", "cert", "client-cert", "proxy"}
REACHING |= {"timeout", "default-timeout", "retries"}
VARIABLES = {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"}
VARIABLES |= {"http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"}


def pip_settings(listed: str) -> dict[str, str]:
    """Return variables that say what ``pip config list`` lists, as far as it is about reaching packages.

    Lines are such as ``global.index-url='address'``. What stands in a variable comes as ``:env:.index-url``.
    """
    found = {}
    sections = ("global", "install", ":env:")  # the later one wins, as in pip
    lines = [line.partition("=") for line in listed.splitlines()]
    for section in sections:
        for key, _, value in lines:
            place, _, option = key.rpartition(".")
            if place == section and option in REACHING:
                found["PIP_" + option.upper().replace("-", "_")] = str(ast.literal_eval(value))
    return found


def variables(environment: Mapping[str, str], listed: str) -> dict[str, str]:
    """Return the variables that are handed in, from this machine's and from what ``pip config list`` lists."""
    return pip_settings(listed) | {name: environment[name] for name in sorted(VARIABLES & environment.keys())}


def paths(values: Iterable[str]) -> list[str]:
    """Return the files and folders that settings name, to be mounted; a package index with what lies beside it."""
    found = set()
    for word in {word for value in values for word in value.split()}:
        path = Path(word.removeprefix("file://"))
        if path.is_absolute() and path.exists():
            found.add(path.parent if word.startswith("file://") and path.is_dir() else path)
    return sorted(str(path) for path in found if path != Path("/"))
