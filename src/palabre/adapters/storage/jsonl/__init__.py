"""What was said, in files of JSON lines. `messages` is the door."""
