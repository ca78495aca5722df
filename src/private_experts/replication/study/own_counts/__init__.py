"""Own counts: noise that fits each hospital's beds, beside the paper's noise for the week's smallest."""
