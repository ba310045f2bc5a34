"""Bring the files of a data directory into a database; what is there already is left alone."""
