// What changed between two texts, word by word.

/** More pairs of words than this are not compared: the differing middle is shown as a whole. */
const MAX_PAIRS = 4_000_000;

const WORDS = /\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;

/** The way from `before` to `after`, as [{kind: "same" | "gone" | "new", text}, ...]. */
export function wordDiff(before, after) {
  const [old, fresh] = [before.match(WORDS) ?? [], after.match(WORDS) ?? []];
  const head = countSame(old, fresh, (list, index) => list[index]);
  const limit = Math.min(old.length, fresh.length) - head;
  const tail = Math.min(limit, countSame(old, fresh, (list, index) => list.at(-1 - index)));
  const middle = between(
    old.slice(head, old.length - tail),
    fresh.slice(head, fresh.length - tail),
  );
  const same = (words) => words.map((text) => ({ kind: "same", text }));
  return joined([
    ...same(old.slice(0, head)),
    ...middle,
    ...same(old.slice(old.length - tail)),
  ]);
}

function countSame(old, fresh, pick) {
  const limit = Math.min(old.length, fresh.length);
  let count = 0;
  while (count < limit && pick(old, count) === pick(fresh, count)) count += 1;
  return count;
}

function between(old, fresh) {
  if (old.length * fresh.length > MAX_PAIRS)
    return [
      ...old.map((text) => ({ kind: "gone", text })),
      ...fresh.map((text) => ({ kind: "new", text })),
    ];
  return walked(old, fresh, commonLengths(old, fresh));
}

/** Rows of lengths: how many words are common from there to the end of both. */
function commonLengths(old, fresh) {
  const width = fresh.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = fresh.length - 1; column >= 0; column -= 1)
      lengths[row * width + column] =
        old[row] === fresh[column]
          ? lengths[(row + 1) * width + column + 1] + 1
          : Math.max(lengths[(row + 1) * width + column], lengths[row * width + column + 1]);
  return lengths;
}

function walked(old, fresh, lengths) {
  const width = fresh.length + 1;
  const steps = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < fresh.length) {
    if (row < old.length && column < fresh.length && old[row] === fresh[column]) {
      steps.push({ kind: "same", text: old[row] });
      [row, column] = [row + 1, column + 1];
    } else if (
      column === fresh.length ||
      (row < old.length &&
        lengths[(row + 1) * width + column] >= lengths[row * width + column + 1])
    ) {
      steps.push({ kind: "gone", text: old[row] });
      row += 1;
    } else {
      steps.push({ kind: "new", text: fresh[column] });
      column += 1;
    }
  }
  return steps;
}

/** Changes that only blanks keep apart are one change: what goes as a whole, then what comes. */
function joined(steps) {
  const parts = [];
  let run = [];
  steps.forEach((step, index) => {
    if (step.kind !== "same" || (run.length > 0 && isBetween(steps, index))) return run.push(step);
    parts.push(...whole(run), step);
    run = [];
  });
  return merged([...parts, ...whole(run)]);
}

const isBetween = (steps, index) =>
  /^\s+$/.test(steps[index].text) && (steps[index + 1]?.kind ?? "same") !== "same";

function whole(run) {
  const without = (other) =>
    run
      .filter(({ kind }) => kind !== other)
      .map(({ text }) => text)
      .join("");
  const parts = [
    { kind: "gone", text: without("new") },
    { kind: "new", text: without("gone") },
  ];
  return parts.filter(({ text }) => text !== "");
}

function merged(parts) {
  const list = [];
  for (const { kind, text } of parts) {
    if (list.at(-1)?.kind === kind) list.at(-1).text += text;
    else list.push({ kind, text });
  }
  return list;
}
