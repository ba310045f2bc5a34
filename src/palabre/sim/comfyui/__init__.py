"""A scripted ComfyUI: its HTTP and WebSocket API, with pictures drawn from seed and prompt."""
