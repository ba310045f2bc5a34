// The history that a server replays after each connect, without what is already shown.

/** How many of the `replayed` messages the `shown` ones already end with. */
export function alreadyShown(shown, replayed) {
  for (let start = Math.max(0, shown.length - replayed.length); start < shown.length; start += 1) {
    const tail = shown.slice(start);
    if (tail.every((line, index) => same(line, replayed[index]))) return tail.length;
  }
  return 0;
}

const same = (one, other) => one.nick === other.nick && one.text.trim() === other.text.trim();
