import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./support.mjs";

const { CompletionWalk, complete } = await load("core/completion.js");
const { InputHistory, MAX_INPUTS } = await load("core/history.js");
const { outgoing } = await load("core/frames.js");
const { loadCommands } = await load("commands.js");

const KNOWN = {
  nicks: ["Schaeffer", "SunRa", "Sherlock", "Eloïse", "Batty"],
  commands: [
    { name: "/help", usage: "/help", summary: "cette aide" },
    { name: "/memory", usage: "/memory <persona>", summary: "" },
    { name: "/models", usage: "/models", summary: "" },
  ],
  channels: ["#general", "#musique"],
};
const values = (text, caret = text.length) =>
  complete(text, caret, KNOWN).items.map((item) => item.value);

test("a nick is completed after @ anywhere in the line", () => {
  assert.deepEqual(values("bonjour @sch"), ["@Schaeffer "]);
});

test("a nick at the start of the line is completed as a mention", () => {
  assert.deepEqual(values("Bat"), ["@Batty "]);
});

test("a plain word inside a line is left alone", () => {
  assert.deepEqual(values("je sors, Bat"), []);
});

test("accents and capitals do not matter", () => {
  assert.deepEqual(values("@ELOI"), ["@Eloïse "]);
});

test("commands are completed at the start of the line only", () => {
  assert.deepEqual(values("/m"), ["/memory ", "/models "]);
  assert.deepEqual(values("voir /m"), []);
});

test("arguments of a command are nicks or channels", () => {
  assert.deepEqual(values("/memory sh"), ["Sherlock "]);
  assert.deepEqual(values("/join #mu"), ["#musique"]);
});

test("nothing is completed in an empty field or after a space", () => {
  assert.deepEqual(values(""), []);
  assert.deepEqual(values("@Batty "), []);
});

test("Tab walks around the candidates, and Shift+Tab back", () => {
  const start = new CompletionWalk("@s", complete("@s", 2, KNOWN));
  const first = start.moved(1);
  assert.equal(first.chosen().text, "@Schaeffer ");
  assert.equal(first.moved(1).chosen().text, "@SunRa ");
  assert.equal(first.moved(1).moved(1).moved(1).chosen().text, "@Schaeffer ");
  assert.equal(first.moved(-1).chosen().text, "@Sherlock ");
  assert.equal(start.moved(-1).chosen().text, "@Sherlock ");
});

test("a completion keeps what stands after the caret", () => {
  const walk = new CompletionWalk("dis @ba, viens", complete("dis @ba, viens", 7, KNOWN)).moved(1);
  assert.deepEqual(walk.chosen(), { text: "dis @Batty , viens", caret: 11 });
});

test("the arrows recall what was sent, and bring the draft back", () => {
  const history = new InputHistory();
  history.add("un");
  history.add("deux");
  assert.equal(history.older("brouillon"), "deux");
  assert.equal(history.older("deux"), "un");
  assert.equal(history.older("un"), null);
  assert.equal(history.newer(), "deux");
  assert.equal(history.newer(), "brouillon");
  assert.equal(history.newer(), null);
});

test("a hundred inputs are remembered", () => {
  const history = new InputHistory();
  for (let index = 0; index < 150; index += 1) history.add(`n${index}`);
  const recalled = [];
  for (let line = history.older(""); line !== null; line = history.older(line)) recalled.push(line);
  assert.equal(recalled.length, MAX_INPUTS);
  assert.equal(MAX_INPUTS, 100);
  assert.equal(recalled.at(-1), "n50");
});

test("a line with a slash in front is a command, any other a message", () => {
  assert.deepEqual(outgoing("/who"), { type: "command", text: "/who" });
  assert.deepEqual(outgoing("a/b"), { type: "message", text: "a/b" });
});

test("the server's commands get their slash and their usage", async () => {
  const data = [{ name: "nick", usage: "<pseudo>", summary: "change" }, { name: 5 }];
  const answer = async () => ({ ok: true, json: async () => ({ ok: true, data }) });
  assert.deepEqual(await loadCommands(answer, "fr"), [
    { name: "/nick", usage: "/nick <pseudo>", summary: "change" },
  ]);
});

test("a server without a list of commands has none to complete", async () => {
  assert.deepEqual(await loadCommands(async () => ({ ok: false }), "fr"), []);
  assert.deepEqual(await loadCommands(async () => Promise.reject(new Error("down")), "fr"), []);
  assert.deepEqual(
    await loadCommands(async () => ({ ok: true, json: async () => "odd" }), "fr"),
    [],
  );
});
