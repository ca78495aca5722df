"""Algorithm meets stream: the game, its record, and regret."""
