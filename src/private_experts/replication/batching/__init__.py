"""What batching gives: the laws of RW-AdaBatch's batch sizes, the privacy that follows, and what it costs."""
