"""What personas remember of the people they talked with."""
