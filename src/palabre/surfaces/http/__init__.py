"""What all that is asked over HTTP has in common: who may, errors, headers, pages."""
