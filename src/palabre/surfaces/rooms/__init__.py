"""Chat rooms over WebSocket: socket, page, terminal."""
