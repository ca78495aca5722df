"""A notebook from its source: executed by this Python, and shown as one page that loads nothing else."""

import ast
import copy
import html
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from private_experts.errors import InputError

PACKAGE = __name__.partition(".")[0]
TIMEOUT = 600  # seconds a cell

# What a notebook's page looks like; the code's colours are Pygments' own. Pictures keep their white ground.
_STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --ground: #fff; --raised: #f5f7fa; --line: #c9d6e3;
  --link: #005a9c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e3e5e6; --ground: #15181b; --raised: #1c2024; --line: #3a444d; --link: #86bdf5; }
}
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--ground); margin: 0 auto;
  max-width: 60rem;
  padding: 1rem 1.2rem 4rem; }
p, ul { max-width: 46rem; } h1 { font-size: 1.9rem; line-height: 1.2; }
h2 { font-size: 1.35rem; margin-top: 2.4rem; }
a, summary { color: var(--link); } a.anchor-link, .prompt { display: none; }
img { max-width: 100%; height: auto; background: #fff; }
.input, details > .highlight { border-left: 4px solid var(--line); background: var(--raised);
  margin: 1rem 0 .4rem; overflow-x: auto; }
pre { font: 13px/1.45 ui-monospace, monospace; margin: 0; padding: .6rem .8rem; }
.output { overflow-x: auto; margin-bottom: 1rem; } .output pre { padding: .2rem 0; white-space: pre-wrap; }
code { font: .9em ui-monospace, monospace; background: var(--raised); }
.highlight, .highlight code { background: var(--raised); }
table { border-collapse: collapse; font-size: .9rem; margin: .6rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .8rem .25rem 0; vertical-align: top;
  font-variant-numeric: tabular-nums; }
math[display=block] { margin: .8rem 0; overflow-x: auto; }
"""
_LIGHT, _DARK = "xcode", "github-dark"  # of the code


def entries(source: Path) -> list[str]:
    """Return a notebook's imports from this package, as fingerprints' entry points; refuse whole modules."""
    found = []
    for node in ast.walk(ast.parse(Path(source).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names if alias.name.partition(".")[0] == PACKAGE]
            # A module's attributes are seen only when it runs, so its fingerprint could not be told from the
            # source.
            if modules:
                raise InputError(f"{source}: write `from {modules[0]} import` and the names it uses")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == PACKAGE:
            found += [f"{node.module}:{alias.name}" for alias in node.names]
    return sorted(set(found))


def executed(source: Path, variables: Mapping[str, str]) -> Any:
    """Execute a notebook in Jupytext's percent format, in a fresh kernel of this Python with these variables.

    No kernel needs to be installed, and what Jupyter and IPython write goes to a folder that is removed at
    the end. Times and versions are left out, so that the same results make the same notebook.
    """
    import jupytext
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    notebook = jupytext.reads(Path(source).read_text(encoding="utf-8"), fmt="py:percent")
    for number, cell in enumerate(notebook.cells):
        # Jupytext draws random ids, which would make every notebook another file.
        cell.id = f"cell-{number:02}"
        cell.metadata = {}
    with tempfile.TemporaryDirectory(prefix="notebook-") as name:
        folder = Path(name)
        own = {
            "IPYTHONDIR": folder / "ipython",
            "JUPYTER_CONFIG_DIR": folder / "config",
            "JUPYTER_DATA_DIR": folder / "data",
            "JUPYTER_RUNTIME_DIR": folder / "runtime",
        }
        manager = AsyncKernelManager(
            kernel_name="python3",  # this Python's own, where no other is looked for
            kernel_spec_manager=KernelSpecManager(kernel_dirs=[]),
            connection_file=str(folder / "connection.json"),
            # no port to be raced for; but a socket's path must be short
            transport="ipc" if len(name) < 80 else "tcp",
        )
        client = NotebookClient(
            notebook,
            km=manager,
            timeout=TIMEOUT,
            record_timing=False,
            coalesce_streams=True,  # what a cell prints comes in as many messages as the machine is busy
            resources={"metadata": {"path": str(Path(source).resolve().parent)}},
        )
        try:
            client.execute(
                cleanup_kc=True,
                env={**os.environ, **{key: str(path) for key, path in own.items()}, **variables},
            )
        except CellExecutionError as error:
            raise InputError(
                f"{source}: {_failed(notebook)}: {error.ename}: {_first_line(error.evalue)}"
            ) from error
        except (CellTimeoutError, DeadKernelError) as error:
            raise InputError(f"{source}: {_first_line(str(error))}") from error
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
    }
    return notebook


def _failed(notebook: Any) -> str:
    """Return which cell failed, in words."""
    for number, cell in enumerate(notebook.cells):
        if any(output.output_type == "error" for output in cell.get("outputs", [])):
            return f"cell {number} ({_first_line(cell.source)!r}) failed"
    return "a cell failed"


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0]


def page(notebook: Any) -> str:
    """Return an executed notebook as a page of its own: style, pictures and formulas (MathML) are in it."""
    from nbconvert.exporters.html import HTMLExporter
    from pygments.formatters import HtmlFormatter

    exporter = HTMLExporter(template_name="basic")
    exporter.register_filter("markdown2html", _markdown)
    shown = copy.deepcopy(notebook)
    shown.cells = [_folded(cell) for cell in shown.cells]
    body, _ = exporter.from_notebook_node(shown)
    title = next((_first_line(cell.source).lstrip("# ") for cell in notebook.cells), "")
    light, dark = (HtmlFormatter(style=name).get_token_style_defs(".highlight") for name in (_LIGHT, _DARK))
    colours = "\n".join([*light, "@media (prefers-color-scheme: dark) {", *dark, "}"])
    return (
        "<!DOCTYPE html>\n"
        f'<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{html.escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<style>{_STYLE}{colours}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _folded(cell: Any) -> Any:
    """Return a cell as the page shows it: imports alone are there to be opened, not to be read first."""
    from nbformat.v4 import new_markdown_cell

    code = ast.parse(cell.source).body if cell.cell_type == "code" else []
    if not code or not all(isinstance(line, ast.Import | ast.ImportFrom) for line in code):
        return cell
    text = f"<details><summary>Imports</summary>\n\n```python\n{cell.source}\n```\n\n</details>"
    return new_markdown_cell(text, id=cell.id)


def _markdown(text: str) -> str:
    """Return Markdown as HTML, formulas as MathML."""
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    from private_experts.replication.plotting.formulas import mathml

    class Renderer(IPythonRenderer):
        def inline_math(self, body: str) -> str:
            return mathml(body)

        def block_math(self, body: str) -> str:
            return mathml(body, display=True)

    return str(MarkdownWithMath(renderer=Renderer(escape=False)).render(text))
