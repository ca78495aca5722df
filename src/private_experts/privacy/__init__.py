"""What privacy costs; knows no algorithm and no data."""
