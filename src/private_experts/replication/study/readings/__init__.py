"""Readings of paper 000: what its printed numbers say about the choices that its words leave open.

`docs/readings.md` states the rule. `reading_games` plays every reading, `scores` compares it with the printed
statistics, `choice` applies the rule, and `readings_tables` and `readings_figure` show it.
"""
