"""Small changes to the code, drawn by a seed: the share that the tests notice is a measure of the tests."""
