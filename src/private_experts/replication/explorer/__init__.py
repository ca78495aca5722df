"""The explorer: one file in which the games of all states and the amplification of batching can be looked through.

It draws with uPlot 1.6.32 (MIT), whose two files lie unchanged in ``assets``: 53 kB, no network, no `eval`. A newer one
comes from ``npm pack uplot``: copy ``uPlot.iife.min.js`` and ``uPlot.min.css``, and renew the checksums in the tests.
"""
