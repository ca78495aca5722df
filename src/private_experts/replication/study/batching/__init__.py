"""What batching gives and costs: laws of RW-AdaBatch's batch sizes, the privacy that follows, and the regret."""
