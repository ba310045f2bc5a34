"""Which things were seen before, in little memory. Pure."""

from array import array

_START = 1 << 10
_FULL = 0.65


class Seen:
    """A set of 64-bit numbers of 12 to 25 bytes each, where Python's own takes 60 and more."""

    def __init__(self) -> None:
        self._slots = array("Q", bytes(8 * _START))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, digest: bytes) -> bool:
        """Note the first 8 bytes of *digest*; return whether they are new.

        Among ten million different things, two are taken for one with a chance of 1 in 400 000.
        """
        # Zero marks an empty slot.
        number = int.from_bytes(digest[:8], "little") or 1
        if not self._put(self._slots, number):
            return False
        self._count += 1
        if self._count > _FULL * len(self._slots):
            self._grow()
        return True

    @staticmethod
    def _put(slots: "array[int]", number: int) -> bool:
        mask = len(slots) - 1
        place = number & mask
        while found := slots[place]:
            if found == number:
                return False
            place = (place + 1) & mask
        slots[place] = number
        return True

    def _grow(self) -> None:
        slots = array("Q", bytes(16 * len(self._slots)))
        for number in self._slots:
            if number:
                self._put(slots, number)
        self._slots = slots
