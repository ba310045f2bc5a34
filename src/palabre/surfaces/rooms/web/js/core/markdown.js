// A little markdown, as a tree of plain values. No HTML is read or written anywhere.
//
// Block:  {type: "paragraph", inlines} | {type: "code", text} | {type: "list", start, items}
//         (`start` is null for bullets; an item is a list of inlines)
// Inline: string | {type: "bold" | "italic", inlines} | {type: "code" | "mention", text}
//         | {type: "link", href, label} | {type: "break"}

const MAX_DEPTH = 3;
const FENCE = /^\s{0,3}```/;
const BULLET = /^\s{0,6}[-*•]\s+(?=\S)/;
const NUMBER = /^\s{0,6}(\d{1,3})[.)]\s+(?=\S)/;
const HEADING = /^#{1,6}\s+(?=\S)/;

/** The blocks of `text`. */
export function parseMarkdown(text) {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const blocks = [];
  for (let index = 0; index < lines.length;) index = readBlock(lines, index, blocks);
  return blocks;
}

function readBlock(lines, index, blocks) {
  const line = lines[index];
  if (line.trim() === "") return index + 1;
  if (FENCE.test(line)) return readCode(lines, index, blocks);
  if (BULLET.test(line)) return readList(lines, index, blocks, BULLET, null);
  const number = line.match(NUMBER);
  if (number) return readList(lines, index, blocks, NUMBER, Number(number[1]));
  if (HEADING.test(line)) return readHeading(lines, index, blocks);
  return readParagraph(lines, index, blocks);
}

/** A fence that never closes goes to the end: the rest may still be on its way. */
function readCode(lines, index, blocks) {
  let end = index + 1;
  while (end < lines.length && !FENCE.test(lines[end])) end += 1;
  blocks.push({ type: "code", text: lines.slice(index + 1, end).join("\n") });
  return end + 1;
}

function readList(lines, index, blocks, marker, start) {
  const items = [];
  while (index < lines.length && marker.test(lines[index])) {
    items.push(parseInlines(lines[index].replace(marker, "")));
    index += 1;
  }
  blocks.push({ type: "list", start, items });
  return index;
}

function readHeading(lines, index, blocks) {
  const inlines = parseInlines(lines[index].replace(HEADING, ""));
  blocks.push({ type: "paragraph", inlines: [{ type: "bold", inlines }] });
  return index + 1;
}

function readParagraph(lines, index, blocks) {
  let end = index + 1;
  while (end < lines.length && !startsBlock(lines[end])) end += 1;
  const parts = lines
    .slice(index, end)
    .flatMap((line) => [{ type: "break" }, ...parseInlines(line)]);
  blocks.push({ type: "paragraph", inlines: parts.slice(1) });
  return end;
}

function startsBlock(line) {
  return line.trim() === "" || [FENCE, BULLET, NUMBER, HEADING].some((mark) => mark.test(line));
}

// Lengths inside marks are bounded so that a hostile line costs no more than a long one.
const INLINE = new RegExp(
  [
    /`(?<code>[^`\n]{1,2000})`/,
    /\[(?<label>[^[\]\n]{1,300})\]\((?<target>https?:\/\/[^\s()<>"]{1,2000})\)/,
    /(?<url>https?:\/\/[^\s<>"`]{1,2000})/,
    /\*\*(?=\S)(?<bold>[^\n]{1,600}?)(?<=\S)\*\*/,
    /(?<![*\p{L}\p{N}])\*(?=[^\s*])(?<star>[^*\n]{1,600}?)(?<=\S)\*(?![*\p{L}\p{N}])/,
    /(?<![_\p{L}\p{N}])_(?=[^\s_])(?<under>[^_\n]{1,600}?)(?<=\S)_(?![_\p{L}\p{N}])/,
    /(?<![\p{L}\p{N}_.@/-])@(?<mention>[a-zA-Z0-9_\-À-ÿ]{1,64})/,
  ]
    .map((part) => part.source)
    .join("|"),
  "giu",
);

/** The inlines of one line. */
export function parseInlines(line, depth = 0) {
  const inlines = [];
  let end = 0;
  for (const match of line.matchAll(INLINE)) {
    const { inline, length } = toInline(match, depth);
    if (match.index > end) inlines.push(line.slice(end, match.index));
    inlines.push(inline);
    end = match.index + length;
    // What a link leaves behind, its final full stop for instance, is text again.
    if (length < match[0].length) {
      inlines.push(match[0].slice(length));
      end = match.index + match[0].length;
    }
  }
  if (end < line.length) inlines.push(line.slice(end));
  return inlines;
}

function toInline(match, depth) {
  const { code, label, target, url, bold, star, under, mention } = match.groups;
  const whole = { length: match[0].length };
  if (code !== undefined) return { ...whole, inline: { type: "code", text: code } };
  if (mention !== undefined) return { ...whole, inline: { type: "mention", text: mention } };
  if (url !== undefined) return bareLink(url);
  if (target !== undefined) return { ...whole, inline: link(target, label) ?? match[0] };
  const inner = bold ?? star ?? under;
  const inlines = depth < MAX_DEPTH ? parseInlines(inner, depth + 1) : [inner];
  return { ...whole, inline: { type: bold === undefined ? "italic" : "bold", inlines } };
}

function bareLink(url) {
  const trimmed = withoutTail(url);
  return { length: trimmed.length, inline: link(trimmed, trimmed) ?? trimmed };
}

function withoutTail(url) {
  const trimmed = url.replace(/[.,;:!?'*_»]+$/, "");
  const open = trimmed.endsWith(")") && !trimmed.includes("(");
  return open ? withoutTail(trimmed.slice(0, -1)) : trimmed;
}

/** A link to an http(s) address that says where it goes, or null. */
function link(address, label) {
  if (!URL.canParse(address)) return null;
  const { protocol, href, host } = new URL(address);
  if (protocol !== "http:" && protocol !== "https:") return null;
  return { type: "link", href, label, host: label === address ? null : host };
}
