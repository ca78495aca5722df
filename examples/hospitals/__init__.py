"""Hospitals that send private reports to a coordinator, which names the one to help each week: see README.md."""
