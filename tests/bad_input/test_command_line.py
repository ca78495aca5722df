"""Words and configs that mean nothing."""

from tests.each import each


@each(
    ("words", "wrong"),
    [
        (["gmae"], "gmae"),
        (["games", "--hospital.adjacency", "moved"], "moved"),
        (["games", "--privacy_levels", "one"], "one"),
        (["games", "--repetitions", "2.5"], "2.5"),
        (["games", "--algorithm", "rw-ftpl"], "--panels"),
        (["reports", "--source", "web"], "web"),
        (["summary", "--colour", "blue"], "--colour"),
        ([], "COMMAND"),
    ],
)
def test_words_that_mean_nothing_are_named_after_the_usage(command, words, wrong):
    code, error = command(*words)
    assert code == 2
    assert "Traceback" not in error
    usage, *_, last = error.splitlines()
    assert usage.startswith("usage: private-experts")
    assert "error: " in last
    assert wrong in last


def test_an_unknown_command_is_answered_with_the_known_ones(command):
    _, error = command("gmae")
    assert error.startswith("usage: private-experts [-h] [--version] [--account] COMMAND ...\n")
    assert all(name in error.splitlines()[-1] for name in ("reports", "panels", "games", "checks", "summary"))
