"""The logs of days are the truth: bring what they say into the database. `follower` is the door."""
