from hypothesis import settings

# For `make fuzz`: as long as one likes, and other inputs each time.
settings.register_profile("fuzz", max_examples=5_000, deadline=None, print_blob=True)
