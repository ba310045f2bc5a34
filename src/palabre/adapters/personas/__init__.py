"""Where persona files are read from."""
