"""The web outside: the gateway, and the search engines behind it."""
