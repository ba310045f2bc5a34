// Finding somebody in a list by a part of what is known of them.

const plain = (text) => String(text ?? "").normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** Those personas whose name, model or summary holds `words`, whatever the case and the accents. */
export function matching(list, words) {
  const wanted = plain(words.trim());
  return list.filter(({ name, model, summary }) =>
    [name, model, summary].some((text) => plain(text).includes(wanted)),
  );
}
