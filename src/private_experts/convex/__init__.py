"""Online convex optimisation that is private and lazy: Gibbs measures, sampled anew as rarely as can be. [001]"""
