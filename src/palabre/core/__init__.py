"""Rules, ports and services. No I/O, no clock, no chance of their own."""
