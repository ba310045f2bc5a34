"""Slash commands: one file, one command, found by its name.

To add `/shout`, write `shout.py` here with a constant `COMMAND`. See CONTRIBUTING.md.
"""
