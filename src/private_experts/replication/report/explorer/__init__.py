"""The explorer: one file in which the games of all states and the amplification of batching can be looked through.

BokehJS draws its charts, without network and without `eval`. Its scripts come from the package Bokeh and stand in the
file unchanged. They are 1.4 MB of it.
"""
