"""The hospital study: from weekly reports to panels, games, and the tables and figures about them."""
