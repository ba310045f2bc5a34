"""Where people and machines come in."""
