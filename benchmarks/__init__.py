"""Speed as ratios, each pair measured side by side in one run: python -m benchmarks."""
