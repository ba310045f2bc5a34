"""Passwords and what nobody can guess."""
