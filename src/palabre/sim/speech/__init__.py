"""A scripted speech server: OpenAI's audio routes, and those of the seed's own sidecar."""
