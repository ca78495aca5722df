"""The multiverse: every choice that the paper leaves open, varied at once. The paper does not have this.

A *choice* has *options*; one option for each choice is a *universe*. Universes that differ only in which variant of
RW-Meta is asked about, and against which central baseline, share their games: together they are a *world*.
"""
