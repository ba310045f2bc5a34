"""Documents that personas draw on: kept, cut into passages, found again."""
