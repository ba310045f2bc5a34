"""What every part stands on: errors, texts as data, clock, ids, registry."""
