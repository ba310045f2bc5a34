"""Where counts and measures go."""
