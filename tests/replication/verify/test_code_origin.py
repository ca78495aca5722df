"""A run computes with this folder's code, and with the packages that its manifest names."""

import importlib
import sys
from importlib import invalidate_caches
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


def test_the_code_of_another_folder_is_refused(tmp_path: Path) -> None:
    check(ROOT)
    (tmp_path / "link").symlink_to(ROOT)
    check(tmp_path / "link")
    check(tmp_path)  # a folder with claims alone
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
    with pytest.raises(
        InputError,
        match=f"{module} is imported from {shadow}, not from .*; move .* away, or unset PYTHONPATH",
    ):
        check(ROOT)


def test_an_installed_package_of_another_version_is_refused(tmp_path: Path) -> None:
    found, pin = version("numpy"), "numpy==2.1.0"
    lock = tmp_path / "requirements.lock"
    others = COMPUTED.replace(f"numpy=={found}\n", "")

    def locked(*pins: str) -> None:
        lock.write_text(
            others + "\n".join([*pins, "win==1 ; sys_platform == 'win32' \\", "    --hash=sha256:cc"])
        )
        refuse_other_versions(lock)

    locked(f"numpy=={found}")  # the other one, win, is not installed
    locked(f"{pin} ; python_version < '3.11'", f"numpy=={found} ; python_version > '3.10'")
    with pytest.raises(
        InputError, match=rf"^numpy is installed in version {found}, and .*lock has {found}\.1; "
    ):
        locked(f"numpy=={found}.1")
    with pytest.raises(InputError, match=r"^numpy is installed in version"):
        locked(f"numpy=={found} ; python_version < '3.11'", "numpy==1.0 ; python_version > '3.10'")
    with pytest.raises(InputError, match=r"^no-such-package is not installed, and .* has 1; run "):
        locked(f"numpy=={found}", "no-such-package==1")


@pytest.mark.parametrize("other", ["0.9", "1.1"])
def test_a_package_that_was_installed_over_another_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    """Both have a record then, and which one is found first is the file system's choice."""
    (lock := tmp_path / "requirements.lock").write_text(f"{COMPUTED}two-words==1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    for version_here in ("1.0", other):
        facts = tmp_path / f"two_words-{version_here}.dist-info/METADATA"
        facts.parent.mkdir()
        facts.write_text(f"Metadata-Version: 2.1\nName: two-words\nVersion: {version_here}\n")
        if version_here == "1.0":
            refuse_other_versions(lock)
    invalidate_caches()
    with pytest.raises(InputError, match=rf"^two-words is installed in versions .*{other}.* at once"):
        refuse_other_versions(lock)


@pytest.mark.parametrize("module", ["two_words", "yaml_of_two"])
def test_a_locked_package_that_another_one_hides_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    """What is installed has the locked version, and another one is imported."""
    facts = tmp_path / "installed/two_words-1.0.dist-info/METADATA"
    facts.parent.mkdir(parents=True)
    facts.write_text("Metadata-Version: 2.1\nName: two-words\nVersion: 1.0\n")
    (tmp_path / f"installed/{module}.py").touch()
    if module != "two_words":
        facts.with_name("top_level.txt").write_text(f"_{module}\n{module}\n")
    (tmp_path / "linked").symlink_to(tmp_path / "installed")
    lock = tmp_path / "requirements.lock"
    lock.write_text(f"{COMPUTED}two-words==1.0\n")
    for folder in ("installed", "linked"):
        with monkeypatch.context() as here:
            here.setitem(sys.modules, module, ModuleType(module))  # as Snakemake's packages may be
            here.syspath_prepend(tmp_path / folder)
            refuse_other_versions(lock)
    monkeypatch.syspath_prepend(tmp_path / "installed")
    (tmp_path / "checkout" / module).mkdir(parents=True)
    (hidden := tmp_path / "checkout" / module / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "checkout")
    with pytest.raises(
        InputError, match=rf"^two-words is imported from {hidden}, and installed in .*installed; "
    ):
        refuse_other_versions(lock)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("<<<<<<< HEAD", "line 3: '<<<<<<< HEAD' is no version of a package like "),
        ("scipy>=1", "line 3: 'scipy>=1' is no version"),
        ("SciPy == 1", "line 3: 'SciPy == 1' is no version"),
        ("scipy==1 ; sys_plat", "line 3: 'scipy==1 ; sys_plat' is no version"),
        ("numpy==2.2.0", "numpy has two versions"),
    ],
)
def test_a_damaged_lock_is_said_to_be_one_and_where(tmp_path: Path, damage: str, said: str) -> None:
    lock = tmp_path / "requirements.lock"
    lock.write_text(whole := "numpy==2.1.0 \\\n    --hash=sha256:aa\n")
    assert locked(lock) == {"numpy": "2.1.0"}
    lock.write_text(f"{whole}{damage}\nzict==3.0\n")
    with pytest.raises(InputError) as caught:
        locked(lock)
    assert str(caught.value).startswith(f"{lock}: {said}")
    assert "git checkout" in str(caught.value)


def test_a_lock_that_another_program_wrote_is_said_to_be_put_back(tmp_path: Path) -> None:
    lock = tmp_path / "requirements.lock"
    lock.write_text("numpy==2.1.0\n", encoding="utf-16")  # as PowerShell's > does
    with pytest.raises(InputError, match=rf"^{lock}: 'utf-8' codec .*; put it back, as with git checkout "):
        locked(lock)


@pytest.mark.parametrize("name", COMPUTING.values())
def test_a_lock_that_lacks_a_package_that_computes_is_refused(tmp_path: Path, name: str) -> None:
    """Any version of it would pass; a lock that was cut, or emptied, lacks some."""
    lock = tmp_path / "requirements.lock"
    lock.write_text("".join(line for line in COMPUTED.splitlines(True) if not line.startswith(f"{name}==")))
    with pytest.raises(InputError, match=f"^{lock}: has no version of {name}; put the file back"):
        refuse_other_versions(lock)


@pytest.fixture
def two_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a package that is installed and locked, in a folder with its lock."""
    record = tmp_path / "site/two_words-1.0.dist-info/RECORD"
    record.parent.mkdir(parents=True)
    record.with_name("METADATA").write_text("Metadata-Version: 2.1\nName: two-words\nVersion: 1.0\n")
    files = {"two_words/__init__.py": 4, "two_words/empty.py": 0}
    files |= dict.fromkeys((f"two_words/fast.{kind}" for kind in ("so", "pyd", "dll")), 4)
    left_out = {"../script.py": 4, "two_words/tests/test_fast.py": 4}
    record.write_text("".join(f"{file},sha256=aa,{size}\n" for file, size in (files | left_out).items()))
    (tmp_path / "site/two_words").mkdir()
    for file, size in files.items():
        (tmp_path / "site" / file).write_bytes(b"#..."[:size])
    (tmp_path / "requirements.lock").write_text("two-words==1.0\nnot-there==1.0\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.chdir(tmp_path)
    refuse_damaged(Path("requirements.lock"))
    return tmp_path / "site/two_words"


@pytest.mark.parametrize("lost", [".", "__init__.py", "fast.so", "fast.pyd", "fast.dll"])
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
        refuse_damaged(Path("requirements.lock"))
    # Before a run has asked, as where the packages of Snakemake lack it, and where it ends in a traceback.
    with pytest.raises(InputError, match=said), extra_named("a run"):
        raise ImportError("Unable to import required dependency")
    with pytest.raises(InputError, match=said):
        plan._dry_run(["false"])
    refuse_damaged(Path("no-such.lock"))


@pytest.mark.parametrize("file", ["__init__.py", "fast.so", "fast.pyd", "fast.dll"])
@pytest.mark.parametrize("content", [b"#", b"#edited"])
def test_a_package_whose_files_have_other_sizes_is_refused(
    two_words: Path, file: str, content: bytes
) -> None:
    """To load a library that was cut short ends a process without a word."""
    (two_words / file).write_bytes(content)
    refuse_damaged(Path("requirements.lock"))  # others than pip may change what they install
    facts = two_words.parent / "two_words-1.0.dist-info/INSTALLER"
    facts.write_text("pip\n")
    with pytest.raises(InputError, match=f"^two-words: .*{file} is gone, empty, cut short or edited; run "):
        refuse_damaged(Path("requirements.lock"))
    with pytest.raises(InputError, match="cut short"):  # before Snakemake loads it
        reproduce._all_made(["--dry-run"], None)
    (two_words / file).write_bytes(b"#...")
    refuse_damaged(Path("requirements.lock"))


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
    with pytest.raises(InputError) as caught:
        refuse_damaged(Path("requirements.lock"))
    assert str(caught.value).endswith(f"; {said.format(python=sys.executable)} --force-reinstall")


def test_a_run_without_the_package_that_reads_the_lock_is_told_so(
    two_words: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Snakemake, which needs it as well, says no more than its name."""
    monkeypatch.setitem(sys.modules, "packaging.markers", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    said = "^a run needs the package packaging, which is not installed: in the clone, delete .venv"
    with pytest.raises(InputError, match=said), extra_named("a run"):
        reproduce._all_made(["--dry-run"], None)


@pytest.mark.parametrize("hidden", [False, True])
def test_an_import_that_fails_in_another_package_than_the_locked_one_is_told_so(
    two_words: Path, monkeypatch: pytest.MonkeyPatch, hidden: bool
) -> None:
    """As where PYTHONPATH has those of another Python, with their records or without."""
    said = "^two-words is installed in version 1.0, and requirements.lock has 2.0; run "
    Path("requirements.lock").write_text(f"{COMPUTED}two-words==2.0\n")
    if hidden:
        said = "^two-words is imported from .*, and installed in .*unset PYTHONPATH"
        Path("requirements.lock").write_text(f"{COMPUTED}two-words==1.0\n")
        Path("other").mkdir()
        Path("other/two_words.py").touch()
        monkeypatch.syspath_prepend(Path("other").resolve())
    with pytest.raises(InputError, match=said), extra_named("a run"):
        raise ImportError("Unable to import required dependency")
    with pytest.raises(InputError, match=said):
        plan._dry_run(["false"])


def test_an_import_that_fails_in_a_whole_package_keeps_its_traceback(two_words: Path) -> None:
    Path("requirements.lock").write_text(COMPUTED)
    with pytest.raises(ImportError, match="cannot import name"), extra_named("a run"):
        raise ImportError("cannot import name")
    Path("requirements.lock").unlink()
    with pytest.raises(ImportError, match="cannot import name"), extra_named("a run"):
        raise ImportError("cannot import name")


def test_packages_that_change_while_a_run_goes_end_its_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = tmp_path / "python_flint-0.9.0.dist-info/METADATA"
    facts.parent.mkdir()
    facts.write_text("Metadata-Version: 2.1\nName: python-flint\nVersion: 0.9.0\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setenv(code_origin._VARIABLE, "")
    code_origin.refuse_change()  # a person's command, outside of a run
    code_origin.mark()
    code_origin.refuse_change()
    (tmp_path / "other-1.0.dist-info").mkdir()  # as the packages of the tests
    code_origin.refuse_change()
    facts.write_text(facts.read_text().replace("0.9.0", "0.8.0"))
    with pytest.raises(InputError, match=r"python-flint 0\.9\.0 .* to .*python-flint 0\.8\.0 .*; run "):
        code_origin.refuse_change()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))  # an environment of the job's own
    code_origin.refuse_change()


def test_a_job_asks_at_its_end_whether_packages_changed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def play() -> None:
        monkeypatch.setattr(code_origin, "_installed", lambda: "numpy 0.1")

    monkeypatch.setenv(code_origin._VARIABLE, "")
    monkeypatch.setattr(cli, "stages", lambda: {"play": play})
    code_origin.mark()
    with pytest.raises(SystemExit) as ended:
        cli.main(["--account", "play"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(
        "private-experts: the packages changed while the run went, from "
    )
