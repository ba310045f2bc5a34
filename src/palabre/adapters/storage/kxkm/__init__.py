"""What a KXKM_Clown left in its data dir (seed 000; facts of rooms, 3.2 to 3.8)."""
