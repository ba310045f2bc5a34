"""What personas can use besides words: one file, one tool, found by its name, in a constant `TOOL`.

A persona uses what its own list names, as far as the service behind it is there.
"""
