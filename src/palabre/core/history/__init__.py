"""What was said: kept by day, searched, counted, exported, and deleted when it is old."""
