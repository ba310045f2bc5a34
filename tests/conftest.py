"""A run that a shell started in the background is as any other: interrupts reach who is sent one."""

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # and so it would be for all that tests start
    signal.signal(signal.SIGINT, signal.default_int_handler)
