"""A run computes with this folder's code, and with the packages that its manifest names."""

import importlib
import re
import sys
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

from private_experts.errors import InputError
from private_experts.replication.verify import code_origin
from private_experts.replication.verify.code_origin import (
    COMPUTING,
    check,
    locked,
    refuse_damaged,
    refuse_other_versions,
)
from private_experts.replication.workflow import cli, plan, reproduce
from private_experts.replication.workflow.user_environment import extra_named

ROOT = Path(__file__).parents[3]
COMPUTED = "".join(f"{name}=={version(name)}\n" for name in COMPUTING.values())
LOCK = Path("requirements.lock")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a lock be that of a folder of its own."""
    monkeypatch.chdir(tmp_path)


def recorded(place: Path, name: str = "two-words", number: str = "1.0") -> Path:
    """Record a package as installed in a folder, and return the folder of its record."""
    record = place / f"{name.replace('-', '_')}-{number}.dist-info"
    record.mkdir(parents=True)
    (record / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {number}\n")
    return record


def test_the_code_of_another_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(ROOT)
    for folder in (ROOT, tmp_path / "link", tmp_path):  # the last has claims alone
        check(folder)
    (tmp_path / "src").mkdir()
    with pytest.raises(InputError, match="private-experts is imported from"):
        check(tmp_path)


@pytest.mark.parametrize("module", COMPUTING)
@pytest.mark.parametrize("file", ["{}.py", "{}/__init__.py"])
def test_a_package_that_another_one_shadows_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, file: str
) -> None:
    shadow = tmp_path / file.format(module)
    shadow.parent.mkdir(exist_ok=True)
    shadow.touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, module, raising=False)
    importlib.invalidate_caches()
    said = f"{module} is imported from {shadow}, not from .*; move .* away, or unset PYTHONPATH"
    with pytest.raises(InputError, match=said):
        check(ROOT)


def test_an_installed_package_of_another_version_is_refused() -> None:
    found = version("numpy")
    others = COMPUTED.replace(f"numpy=={found}\n", "")
    other_system = "win==1 ; sys_platform == 'win32' \\\n    --hash=sha256:cc"  # and not installed
    old, new = "python_version < '3.11'", "python_version > '3.10'"
    for pins, refusal in (
        ((f"numpy=={found}",), None),
        ((f"numpy==2.1.0 ; {old}", f"numpy=={found} ; {new}"), None),
        (
            (f"numpy=={found}.1",),
            f"numpy is installed in version {found}, and requirements.lock has {found}.1; run ",
        ),
        ((f"numpy=={found} ; {old}", f"numpy==1.0 ; {new}"), f"numpy is installed in version {found}, and "),
        ((f"numpy=={found}", "no-such==1"), "no-such is not installed, and requirements.lock has 1; run "),
    ):
        LOCK.write_text("\n".join([*others.splitlines(), *pins, other_system]))
        if refusal is None:
            refuse_other_versions(LOCK)
        else:
            with pytest.raises(InputError, match=f"^{re.escape(refusal)}"):
                refuse_other_versions(LOCK)


@pytest.mark.parametrize("other", ["0.9", "1.1"])
def test_a_package_that_was_installed_over_another_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    """Both have a record then, and which one is found first is the file system's choice."""
    LOCK.write_text(f"{COMPUTED}two-words==1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    recorded(tmp_path)
    refuse_other_versions(LOCK)
    recorded(tmp_path, number=other)
    importlib.invalidate_caches()
    with pytest.raises(InputError, match=rf"^two-words is installed in versions .*{other}.* at once"):
        refuse_other_versions(LOCK)


@pytest.mark.parametrize("module", ["two_words", "yaml_of_two"])
def test_a_locked_package_that_another_one_hides_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    """What is installed has the locked version, and another one is imported."""
    record = recorded(tmp_path / "installed")
    (tmp_path / f"installed/{module}.py").touch()
    if module != "two_words":
        (record / "top_level.txt").write_text(f"_{module}\n{module}\n")
    (tmp_path / "linked").symlink_to(tmp_path / "installed")
    LOCK.write_text(f"{COMPUTED}two-words==1.0\n")
    for folder in ("installed", "linked"):
        with monkeypatch.context() as here:
            here.setitem(sys.modules, module, ModuleType(module))  # as Snakemake's packages may be
            here.syspath_prepend(tmp_path / folder)
            refuse_other_versions(LOCK)
    (hidden := tmp_path / "checkout" / module / "__init__.py").parent.mkdir(parents=True)
    hidden.touch()
    for folder in ("installed", "checkout"):
        monkeypatch.syspath_prepend(tmp_path / folder)
    said = rf"^two-words is imported from {hidden}, and installed in .*installed; "
    with pytest.raises(InputError, match=said):
        refuse_other_versions(LOCK)


NUMPY = "numpy==2.1.0 \\\n    --hash=sha256:aa\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (f"{NUMPY}<<<<<<< HEAD\nzict==3.0\n", "line 3: '<<<<<<< HEAD' is no version of a package like "),
        (f"{NUMPY}scipy>=1\nzict==3.0\n", "line 3: 'scipy>=1' is no version"),
        (f"{NUMPY}SciPy == 1\n", "line 3: 'SciPy == 1' is no version"),
        (f"{NUMPY}scipy==1 ; sys_plat\n", "line 3: 'scipy==1 ; sys_plat' is no version"),
        (f"{NUMPY}numpy==2.2.0\n", "numpy has two versions"),
        (NUMPY.encode("utf-16"), "'utf-8' codec "),  # as PowerShell's > writes
    ],
)
def test_a_damaged_lock_is_said_to_be_one_and_where(content: str | bytes, said: str) -> None:
    LOCK.write_text(NUMPY)
    assert locked(LOCK) == {"numpy": "2.1.0"}
    LOCK.write_bytes(content if isinstance(content, bytes) else content.encode())
    lock = LOCK.resolve()  # it is told where it is
    with pytest.raises(InputError, match=rf"^{lock}: {re.escape(said)}.*git checkout"):
        locked(lock)


@pytest.mark.parametrize("name", COMPUTING.values())
def test_a_lock_that_lacks_a_package_that_computes_is_refused(name: str) -> None:
    """Any version of it would pass; a lock that was cut, or emptied, lacks some."""
    LOCK.write_text("".join(line for line in COMPUTED.splitlines(True) if not line.startswith(f"{name}==")))
    with pytest.raises(InputError, match=f"^{LOCK}: has no version of {name}; put the file back"):
        refuse_other_versions(LOCK)


LIBRARIES = ("fast.so", "fast.pyd", "fast.dll")


@pytest.fixture
def two_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a package that is installed and locked, beside a lock."""
    record = recorded(tmp_path / "site")
    files = {"two_words/__init__.py": 4, "two_words/empty.py": 0}
    files |= dict.fromkeys((f"two_words/{name}" for name in LIBRARIES), 4)
    left_out = {"../script.py": 4, "two_words/tests/test_fast.py": 4}
    lines = "".join(f"{file},sha256=aa,{size}\n" for file, size in (files | left_out).items())
    (record / "RECORD").write_text(lines)
    (tmp_path / "site/two_words").mkdir()
    for file, size in files.items():
        (tmp_path / "site" / file).write_bytes(b"#..."[:size])
    LOCK.write_text("two-words==1.0\nnot-there==1.0\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    refuse_damaged(LOCK)
    return tmp_path / "site/two_words"


def refused_by_all(said: str) -> None:
    """See what is said where an import fails in a run, and in a plan."""
    with pytest.raises(InputError, match=said), extra_named("a run"):
        raise ImportError("Unable to import required dependency")
    with pytest.raises(InputError, match=said):
        plan._dry_run(["false"])


@pytest.mark.parametrize("lost", [".", "__init__.py", *LIBRARIES])
@pytest.mark.parametrize("emptied", [False, True])
def test_a_package_whose_files_are_gone_or_empty_is_refused(
    two_words: Path, lost: str, emptied: bool
) -> None:
    """Its record is there, so that its version is the locked one."""
    for file in two_words.glob("*") if lost == "." else [two_words / lost]:
        file.write_bytes(b"") if emptied else file.unlink()
    said = (
        r"^two-words: .*two_words/\w+\.\w+ is gone, empty, cut short or edited; "
        "run .* requirements.lock --force-reinstall$"
    )
    with pytest.raises(InputError, match=said):
        refuse_damaged(LOCK)
    refused_by_all(said)  # before a run has asked, as where the packages of Snakemake lack it
    refuse_damaged(Path("no-such.lock"))


@pytest.mark.parametrize("file", ["__init__.py", *LIBRARIES])
@pytest.mark.parametrize("content", [b"#", b"#edited"])
def test_a_package_whose_files_have_other_sizes_is_refused(
    two_words: Path, file: str, content: bytes
) -> None:
    """To load a library that was cut short ends a process without a word."""
    (two_words / file).write_bytes(content)
    refuse_damaged(LOCK)  # others than pip may change what they install
    (two_words.parent / "two_words-1.0.dist-info/INSTALLER").write_text("pip\n")
    with pytest.raises(InputError, match=f"^two-words: .*{file} is gone, empty, cut short or edited; run "):
        refuse_damaged(LOCK)
    with pytest.raises(InputError, match="cut short"):  # before Snakemake loads it
        reproduce._all_made(["--dry-run"], None)
    (two_words / file).write_bytes(b"#...")
    refuse_damaged(LOCK)


@pytest.mark.parametrize(
    ("there", "said"),
    [
        (["pip", "uv"], "run {python} -m pip install --require-hashes -r requirements.lock"),
        (["uv"], "run uv pip install --python {python} --require-hashes -r requirements.lock"),
        ([], "run {python} -m ensurepip && {python} -m pip install --require-hashes -r requirements.lock"),
    ],
)
def test_an_environment_without_pip_gets_advice_that_can_be_followed(
    two_words: Path, monkeypatch: pytest.MonkeyPatch, there: list[str], said: str
) -> None:
    """As one that uv made."""
    monkeypatch.setattr(code_origin, "find_spec", lambda name: name in there or None)
    monkeypatch.setattr("shutil.which", lambda name: name if name in there else None)
    (two_words / "fast.so").unlink()
    advice = re.escape(f"; {said.format(python=sys.executable)} --force-reinstall")
    with pytest.raises(InputError, match=f"{advice}$"):
        refuse_damaged(LOCK)


def test_a_run_without_the_package_that_reads_the_lock_is_told_so(
    two_words: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Snakemake, which needs it as well, says no more than its name."""
    monkeypatch.setitem(sys.modules, "packaging.markers", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    said = "^a run needs the package packaging, which is not installed: in the clone, delete .venv"
    with pytest.raises(InputError, match=said), extra_named("a run"):
        reproduce._all_made(["--dry-run"], None)


def test_an_import_that_fails_in_another_package_than_the_locked_one_is_told_so(
    two_words: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where PYTHONPATH has those of another Python, with their records or without."""
    LOCK.write_text(f"{COMPUTED}two-words==2.0\n")
    refused_by_all("^two-words is installed in version 1.0, and requirements.lock has 2.0; run ")
    for lock in (COMPUTED, None):  # in a whole package it keeps its traceback
        LOCK.write_text(lock) if lock else LOCK.unlink()
        with pytest.raises(ImportError, match="cannot import name"), extra_named("a run"):
            raise ImportError("cannot import name")
    LOCK.write_text(f"{COMPUTED}two-words==1.0\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/two_words.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "other")
    refused_by_all("^two-words is imported from .*, and installed in .*unset PYTHONPATH")


def test_packages_that_change_while_a_run_goes_end_its_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = recorded(tmp_path, "python-flint", "0.9.0") / "METADATA"

    def play() -> None:
        facts.write_text(facts.read_text().replace("0.9.0", "0.8.0"))

    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(cli, "stages", lambda: {"play": play})
    monkeypatch.setenv(code_origin._VARIABLE, "")
    code_origin.refuse_change()  # a person's command, outside of a run
    code_origin.mark()
    recorded(tmp_path, "other")  # as the packages of the tests
    code_origin.refuse_change()
    with pytest.raises(SystemExit) as ended:  # a job asks at its end
        cli.main(["--account", "play"])
    said = "the packages changed while the run went, from "
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(f"private-experts: {said}")
    with pytest.raises(InputError, match=rf"^{said}.*flint 0\.9\.0 .* to .*flint 0\.8\.0 .*; run "):
        code_origin.refuse_change()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))  # an environment of the job's own
    code_origin.refuse_change()
