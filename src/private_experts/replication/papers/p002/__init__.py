"""Paper 002: optimal gap-dependent regret for private stochastic decision-theoretic online learning."""
