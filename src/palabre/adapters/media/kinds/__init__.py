"""Readers: one file a kind. They run in a worker, and each brings one `read(job)`."""
