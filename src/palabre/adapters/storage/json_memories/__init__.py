"""Persona memories in files of JSON. `store` is the door."""
