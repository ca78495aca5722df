"""Hospitals that send private reports to a coordinator, which names one to help each week: see README.md."""
