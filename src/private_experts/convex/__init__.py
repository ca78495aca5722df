"""Private and lazy online convex optimisation: Gibbs measures that are sampled anew as rarely as possible. [001]"""
