"""Documents, chunks and vectors in the database."""
