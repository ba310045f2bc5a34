// What somebody writes over a record that others may change meanwhile.
//
// Draft: {field: {was, is}}: what the record said when the first letter was written, and what it
// shall say.

/** Fields as the user sees them: as written, else as they are. */
export const written = (draft, record, name) => draft[name]?.is ?? record[name];

export const withField = (draft, record, name, is) => ({
  ...draft,
  [name]: { was: draft[name]?.was ?? record[name], is },
});

export function withoutField(draft, name) {
  const { [name]: _, ...others } = draft;
  return others;
}

/** `saved` has been taken; what was written since stays written. */
export const afterSave = (draft, saved) =>
  Object.fromEntries(
    Object.entries(draft)
      .filter(([name, { is }]) => Object.hasOwn(saved, name) && is !== saved[name])
      .map(([name, { is }]) => [name, { was: saved[name], is }]),
  );

/** What has to be told to the server: {field: value} that the record does not say already. */
export const changesOf = (draft, record) =>
  Object.fromEntries(
    Object.entries(draft)
      .filter(([name, { is }]) => is !== record[name])
      .map(([name, { is }]) => [name, is]),
  );

/** Fields that somebody else changed since the user began to write them. */
export const conflictsOf = (draft, record) =>
  Object.entries(draft)
    .filter(([name, { was, is }]) => record[name] !== was && record[name] !== is)
    .map(([name]) => name);

/** The user has seen what the record says now, and keeps the own words. */
export const keptMine = (draft, record, name) => ({
  ...draft,
  [name]: { was: record[name], is: draft[name].is },
});
