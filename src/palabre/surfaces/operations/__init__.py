"""For whoever keeps the program running: health, readiness, figures, errors."""
