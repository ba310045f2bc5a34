"""Stores that are followed by others: the database is the truth, files show what it holds.

What the follower cannot do is logged and counted, and harms nobody.
"""
