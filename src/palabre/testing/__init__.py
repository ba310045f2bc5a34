"""Fakes of every port and contract suites, shipped for whoever extends the program."""
