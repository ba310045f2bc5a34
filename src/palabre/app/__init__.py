"""Settings, command line, and the one place that puts all parts together."""
