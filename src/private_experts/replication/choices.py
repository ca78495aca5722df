"""What the config may choose between; config/schema.yaml explains the choices."""

from typing import Literal

Kind = Literal["auto", "healthdata", "delphi", "file", "synthetic"]  # of a source of reports
Download = Literal["healthdata", "delphi"]  # those that are downloads, in the order in which auto tries them
Adjacency = Literal["move", "removal"]  # whom privacy protects
Reach = float | Literal["derived"]  # patients that one person counts for; or as cleaning and the panel imply
