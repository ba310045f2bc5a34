"""Languages and files, as the knowledge needs them."""
