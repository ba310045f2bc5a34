// What an entry of the book changed, field by field.

/** [{name, was, is}] of the fields that differ, as text; null where there is none. */
export function changedFields(before, after) {
  const [old, fresh] = [stateOf(before), stateOf(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
  const rows = names.map((name) => ({ name, was: shown(old[name]), is: shown(fresh[name]) }));
  return rows.filter(({ was, is }) => was !== is);
}

/** A state that was not written by us is a text. */
const stateOf = (state) => (state !== null && typeof state === "object" ? state : { "": state });

function shown(value) {
  if (value === undefined || value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
