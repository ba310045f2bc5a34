"""All that must last, in one archive, and back. `writing` and `restoring` are the doors."""
