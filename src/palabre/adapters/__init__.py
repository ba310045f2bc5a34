"""The outside: one folder a port, one file a technology."""
