"""A scripted SearXNG, with the page of DuckDuckGo Lite and a plain JSON search beside it."""
