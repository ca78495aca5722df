"""What the config may choose between; config/schema.yaml explains the choices."""

from typing import Literal

Kind = Literal["auto", "healthdata", "file", "synthetic"]  # of a source of reports
Adjacency = Literal["move", "removal"]  # whom privacy protects
