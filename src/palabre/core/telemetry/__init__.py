"""What is counted and measured."""
