"""Measures a server of this checkout; see `docs/bench.md`. Not part of the package."""
