"""One file is one feature; the registry finds them."""
