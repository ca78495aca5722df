"""The one exception for input a person can mend."""


class InputError(ValueError):
    """Input that a person can mend: one line that says what is wrong, where, and what to write instead.

    The command line prints the message alone, without a traceback, and exits with code 2.
    """
