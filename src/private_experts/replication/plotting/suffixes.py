"""The formats of tables and figures. The rules of the workflow read them here, without loading Matplotlib."""

TABLE = (".csv", ".md", ".tex")
FIGURE = (".pdf", ".svg", ".png")
