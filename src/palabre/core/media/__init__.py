"""Files, pictures and music: what people share and what is generated."""
