"""What was said, in SQLite or Postgres. `store` is the door to read, `writing` that to add."""
