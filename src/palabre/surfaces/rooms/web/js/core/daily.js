// Counts of days as a chart wants them.

const DAY_S = 86_400;

/**
 * From the oldest to the newest day, with zeros where nothing was said: [seconds since 1970, counts].
 *
 * @param rows [{date: "YYYY-MM-DD", count}] in any order; others are left out
 */
export function dailySeries(rows) {
  const counts = new Map();
  for (const row of rows) {
    const at = Date.parse(`${row?.date}T00:00:00Z`) / 1000;
    if (Number.isInteger(at) && Number.isFinite(row.count)) counts.set(at, row.count);
  }
  const days = [...counts.keys()].sort((one, other) => one - other);
  if (days.length === 0) return [[], []];
  const length = (days.at(-1) - days[0]) / DAY_S + 1;
  const seconds = Array.from({ length }, (_, index) => days[0] + index * DAY_S);
  return [seconds, seconds.map((at) => counts.get(at) ?? 0)];
}
