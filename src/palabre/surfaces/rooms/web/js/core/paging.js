// Pages of a long list, by the place of their first row.

/** A place as it was written in an address; anything odd is the beginning. */
export function placeOf(text) {
  const place = Number(text ?? 0);
  return Number.isSafeInteger(place) && place > 0 ? place : 0;
}

/** {first, last} for people, from 1, and the places of the pages beside; null where there is none. */
export function pageOf(offset, limit, total) {
  return {
    first: total === 0 ? 0 : Math.min(offset + 1, total),
    last: Math.min(offset + limit, total),
    previous: offset > 0 ? Math.max(0, offset - limit) : null,
    next: offset + limit < total ? offset + limit : null,
  };
}
