"""A bare system is told how packages are reached, and nothing else of this machine."""

from pathlib import Path

from tests.bare.handed import paths, pip_settings, variables

LISTED = """\
:env:.index-url='https://named.example/simple'
global.cache-dir='/home/somebody/.cache/pip'
global.cert='/etc/ssl/some.crt'
global.index-url='https://other.example/simple'
global.user='true'
install.find-links='/wheels /more wheels'
wheel.timeout='5'
"""


def test_options_of_pip_are_those_that_reach_packages_and_the_environment_wins() -> None:
    assert pip_settings(LISTED) == {
        "PIP_CERT": "/etc/ssl/some.crt",
        "PIP_FIND_LINKS": "/wheels /more wheels",
        "PIP_INDEX_URL": "https://named.example/simple",
    }
    assert pip_settings("") == {}


def test_variables_are_those_of_packages() -> None:
    assert variables({"no_proxy": "localhost", "HOME": "/root", "PYTHONPATH": "src"}, "") == {"no_proxy": "localhost"}


def test_files_and_folders_that_settings_name_are_seen_inside(tmp_path: Path) -> None:
    simple, wheels, certificate = tmp_path / "index/simple", tmp_path / "wheels", tmp_path / "ca.crt"
    simple.mkdir(parents=True)
    wheels.mkdir()
    certificate.touch()
    values = [f"file://{simple} https://there.example/x", f"{wheels} {tmp_path / 'missing'}", str(certificate), "15"]
    assert paths(values) == sorted(
        [str(simple.parent), str(wheels), str(certificate)]
    )  # with what lies beside the index
    assert paths(["file:///"]) == []
