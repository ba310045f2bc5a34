"""Language-model servers and the weights they need."""
