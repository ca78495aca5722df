"""The explorer: one file in which the games of all states can be looked through, without a network.

BokehJS has its charts, legend, widgets and selection. Its scripts come from the package Bokeh and stand in
the file unchanged: 1.8 MB. The page's policy forbids `eval`, so no callback is text: `assets/explorer.js`
connects them.
"""
