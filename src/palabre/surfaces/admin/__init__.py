"""What those who run a house ask over HTTP (seed 000 §15)."""
