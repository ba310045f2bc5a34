"""Language models: what we ask of them, and which one answers."""
