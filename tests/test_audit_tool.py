import sys
import threading

import pytest

from private_experts.replication.workflow.fingerprint import Source
from tests.audit import executed_definitions, untracked
from tests.replication.workflow.fingerprint.toy import put

AUDITED = {
    "__init__.py": "",
    "stages.py": """
        from . import helpers

        DOUBLE = lambda x: 2 * x


        def run(x):
            from .late import Late

            return [DOUBLE(i) for i in range(x)], helpers.outer(x), Late().method(x)


        def blind(x):
            return getattr(__import__("audited.helpers").helpers, "hid" + "den")(x)
        """,
    "helpers.py": """
        def outer(x):
            def inner(y):
                return y

            return inner(x)


        def hidden(x):
            return x
        """,
    "late.py": """
        def at_import(x):
            return x


        VALUE = [at_import(1) for _ in range(2)]


        class Late:
            def method(self, x):
                return x
        """,
}


@pytest.fixture
def audited(tmp_path, monkeypatch):
    put(tmp_path / "audited", AUDITED)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "audited"]:
        del sys.modules[name]


def test_the_audit_names_the_definitions_that_ran(audited):
    import audited.stages as stages  # type: ignore[import-not-found]

    ran = executed_definitions(lambda: stages.run(2), audited / "audited")
    assert ran == {
        "audited.stages:run",
        "audited.stages:DOUBLE",
        "audited.helpers:outer",
        "audited.late:Late",
    }
    assert untracked(lambda: stages.run(2), "audited.stages:run", root=audited) == set()


def test_the_audit_catches_a_blind_spot(audited):
    import audited.stages as stages

    missed = {"audited.helpers:hidden"}
    assert "audited.helpers:hidden" not in Source(audited, "audited").reach("audited.stages:blind")
    assert untracked(lambda: stages.blind(2), "audited.stages:blind", root=audited) == missed
    assert (
        untracked(lambda: stages.blind(2), "audited.stages:blind", frozenset(missed), root=audited) == set()
    )


def test_the_audit_watches_threads_and_restores_the_tracer(audited):
    import audited.helpers as helpers

    def call() -> None:
        thread = threading.Thread(target=helpers.hidden, args=(1,))
        thread.start()
        thread.join()
        raise LookupError

    before = sys.gettrace(), threading.gettrace()
    ran: set[str] = set()
    with pytest.raises(LookupError):
        executed_definitions(call, audited / "audited")
    assert (sys.gettrace(), threading.gettrace()) == before

    def quietly() -> None:
        with pytest.raises(LookupError):
            call()

    ran = executed_definitions(quietly, audited / "audited")
    assert ran == {"audited.helpers:hidden"}
