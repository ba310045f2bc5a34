import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./support.mjs";
import { HOSTILE } from "./hostile.mjs";

const { parseMarkdown } = await load("core/markdown.js");
const { Markdown } = await load("ui/markdown_view.js");

const KNOWN = { personas: new Map([["Batty", "#ef5350"]]), nick: "Ada" };
const TAGS = new Set(["p", "pre", "code", "ul", "ol", "li", "br", "strong", "em", "span", "a"]);
const ATTRIBUTES = new Set([
  "href",
  "target",
  "rel",
  "class",
  "style",
  "start",
  "tabindex",
  "children",
]);

const inlines = (text) => parseMarkdown(text)[0].inlines;

/** Every element that would be drawn, as {tag, props}. */
function elements(node) {
  if (Array.isArray(node)) return node.flatMap(elements);
  if (node === null || typeof node !== "object") return [];
  return [{ tag: node.type, props: node.props }, ...elements(node.props.children)];
}

/** Every text that would be read. */
function words(node) {
  if (Array.isArray(node)) return node.map(words).join("");
  if (node === null || typeof node !== "object") return typeof node === "string" ? node : "";
  return words(node.props.children);
}

for (const text of HOSTILE) {
  test(`nothing dangerous is made of ${JSON.stringify(text).slice(0, 60)}`, () => {
    for (const { tag, props } of elements(Markdown({ text, known: KNOWN }))) {
      assert.ok(TAGS.has(tag), `element ${tag}`);
      for (const name of Object.keys(props)) assert.ok(ATTRIBUTES.has(name), `attribute ${name}`);
      if (tag === "a") {
        assert.match(props.href, /^https?:\/\//);
        assert.equal(props.rel, "noopener noreferrer");
      }
      if (tag === "span")
        assert.match(
          JSON.stringify(props.style ?? {}),
          /^(\{\}|\{("--nick-(dark|light)":"#[0-9a-f]{6}",?){2}\})$/,
        );
    }
  });
}

test("the corpus of hostile texts is not small", () => {
  assert.ok(new Set(HOSTILE).size >= 30);
});

test("HTML is words to read and nothing else", () => {
  const text = '<b onclick="x()">gras</b> &lt;i&gt;';
  assert.equal(words(Markdown({ text, known: KNOWN })), text);
  assert.deepEqual(
    elements(Markdown({ text, known: KNOWN })).map(({ tag }) => tag),
    ["p"],
  );
});

test("bold, italic and code are known, one inside the other", () => {
  assert.deepEqual(inlines("**fort** *doux* _bas_ `code`"), [
    { type: "bold", inlines: ["fort"] },
    " ",
    { type: "italic", inlines: ["doux"] },
    " ",
    { type: "italic", inlines: ["bas"] },
    " ",
    { type: "code", text: "code" },
  ]);
  assert.deepEqual(inlines("**a *b* c**"), [
    { type: "bold", inlines: ["a ", { type: "italic", inlines: ["b"] }, " c"] },
  ]);
});

test("stars and underscores inside words and sums are left alone", () => {
  for (const text of ["2 * 3 * 4", "snake_case_name", "a*b*c", "** rien **", "*"]) {
    assert.deepEqual(inlines(text), [text]);
  }
});

test("marks inside code stay as written", () => {
  assert.deepEqual(inlines("`**a** @Batty`"), [{ type: "code", text: "**a** @Batty" }]);
});

test("a code block keeps its lines, also while its end is still to come", () => {
  assert.deepEqual(parseMarkdown("```py\na = 1\n\n  b\n```\nfin"), [
    { type: "code", text: "a = 1\n\n  b" },
    { type: "paragraph", inlines: ["fin"] },
  ]);
  assert.deepEqual(parseMarkdown("```\na"), [{ type: "code", text: "a" }]);
});

test("lists are bullets or numbers that keep their start", () => {
  assert.deepEqual(parseMarkdown("- a\n* b\n\n3. c\n4. d"), [
    { type: "list", start: null, items: [["a"], ["b"]] },
    { type: "list", start: 3, items: [["c"], ["d"]] },
  ]);
});

test("single line ends are breaks, empty lines part paragraphs", () => {
  assert.deepEqual(parseMarkdown("a\nb\n\nc"), [
    { type: "paragraph", inlines: ["a", { type: "break" }, "b"] },
    { type: "paragraph", inlines: ["c"] },
  ]);
});

test("a bare address is a link without the stop that ends the sentence", () => {
  const [before, link, after] = inlines("voir https://example.org/a_(b).");
  assert.equal(before, "voir ");
  assert.equal(link.href, "https://example.org/a_(b)");
  assert.equal(after, ".");
  assert.deepEqual(inlines("(https://example.org/)")[1].href, "https://example.org/");
});

test("a labelled link says which host it goes to", () => {
  const [link] = inlines("[la banque](https://evil.example/x)");
  assert.equal(link.label, "la banque");
  assert.equal(link.host, "evil.example");
  assert.match(
    words(Markdown({ text: "[ici](https://evil.example/x)", known: KNOWN })),
    /ici.*\(evil\.example\)/,
  );
});

test("a mention needs a word border and is no part of an address", () => {
  assert.deepEqual(inlines("@Batty, viens")[0], { type: "mention", text: "Batty" });
  assert.deepEqual(inlines("a@Batty.org"), ["a@Batty.org"]);
});

test("one's own nick stands out, a persona has its colour, others are words", () => {
  const drawn = elements(Markdown({ text: "@ada @batty @Nobody", known: KNOWN })).filter(
    ({ tag }) => tag === "span",
  );
  assert.deepEqual(
    drawn.map(({ props }) => props.class),
    ["mention of-you", "mention"],
  );
});

test("a hostile line of the greatest length is read in a moment", () => {
  for (const piece of ["**a ", "*a ", "_a ", "`", "[a](", "@", "https://", "[[", "``` "]) {
    const started = performance.now();
    parseMarkdown(piece.repeat(Math.ceil(8192 / piece.length)));
    assert.ok(performance.now() - started < 500, piece);
  }
});
