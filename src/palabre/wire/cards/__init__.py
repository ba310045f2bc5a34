"""Character cards V1, V2 and V3: files in, typed values out, and back. No I/O.

Sources: the public specifications of Character Card V1, V2 and V3.
"""
