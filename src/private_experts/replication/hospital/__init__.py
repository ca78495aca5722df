"""The hospital study: reports in, panels and games out."""
