"""What the config may choose between; config/schema.yaml explains the choices."""

from typing import Literal

Kind = Literal["pinned", "healthdata", "file", "synthetic"]  # of a source of reports
Adjacency = Literal["move", "removal"]  # whom privacy protects
Reach = float | Literal["derived"]  # patients that one person counts for; or as cleaning and the panel imply
Patients = Literal["confirmed", "confirmed-and-suspected"]  # who is counted: by the study, by the paper
