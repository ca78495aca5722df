"""Benchmarks of speed, reported as ratios. What is compared is timed side by side: python -m benchmarks."""
