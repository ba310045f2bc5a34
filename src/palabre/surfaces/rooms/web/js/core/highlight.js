// Where the words that were searched for stand in a text, whatever their case and accents.

const fold = (sign) =>
  sign
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase();

/** The parts of `text`, as [{text, hit}]; joined, they are the text. */
export function highlighted(text, query) {
  const words = [...new Set(fold(query).split(/[^\p{L}\p{N}]+/u))].filter(Boolean);
  if (words.length === 0) return [{ text, hit: false }];
  const signs = [...text];
  const marks = marked(signs.map(fold), words);
  const parts = [];
  signs.forEach((sign, index) => {
    if (parts.length > 0 && parts.at(-1).hit === marks[index]) parts.at(-1).text += sign;
    else parts.push({ text: sign, hit: marks[index] });
  });
  return parts;
}

function marked(signs, words) {
  // A sign may be longer or shorter when folded: where each begins is kept.
  const starts = [];
  let folded = "";
  for (const sign of signs) {
    starts.push(folded.length);
    folded += sign;
  }
  const isHit = new Uint8Array(folded.length);
  for (const word of words)
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + word.length))
      isHit.fill(1, at, at + word.length);
  return signs.map((sign, index) => sign !== "" && isHit[starts[index]] === 1);
}
