"""The multiverse: every choice that the paper leaves open, varied at once. The paper does not have this.

A *choice* has *options*; one option for each choice is a *universe*. What we changed in the paper's algorithm and in
its baseline is no choice that the paper leaves open. It stands beside each universe, as *ours*, in shares of its own.
"""
