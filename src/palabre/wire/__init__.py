"""Protocols as values: bytes in, typed frames out. No I/O."""
