"""What is said in rooms, in the database. `messages` is the door."""
