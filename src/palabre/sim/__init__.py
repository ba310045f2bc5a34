"""Simulators that ship with the program: peers for demonstrations, tests and load."""
