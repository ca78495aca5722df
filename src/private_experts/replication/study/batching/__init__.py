"""What batching gives and costs: RW-AdaBatch's batch-size laws, the privacy that follows, and the regret."""
