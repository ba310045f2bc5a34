"""Graphs of jobs: whether they make sense, what of them runs next, and what came of it."""
