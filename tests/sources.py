"""What one can tell of LaTeX without running it."""

import re


def unbalanced(text: str) -> str:
    """Return what is wrong with the environments and braces of a LaTeX source; nothing when all is well."""
    plain = re.sub(r"(?<!\\)%.*", "", text).replace(r"\\", "").replace(r"\{", "").replace(r"\}", "")
    stack: list[str] = []
    for kind, name, brace in re.findall(r"\\(begin|end)\{([^}]*)\}|([{}])", plain):
        if kind == "begin" or brace == "{":
            stack.append(name or brace)
        elif not stack or stack.pop() != (name or "{"):
            return f"{kind or brace} {name} closes nothing"
    return f"{stack[-1]} is not closed" if stack else ""
