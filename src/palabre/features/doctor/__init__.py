"""What `palabre doctor` looks at: one file, one check, in a constant `CHECK`.

The texts of a check are `doctor.<name>.good`, `.bad` and `.fix`.
"""
