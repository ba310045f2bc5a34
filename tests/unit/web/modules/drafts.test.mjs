import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./support.mjs";

const { afterSave, changesOf, conflictsOf, keptMine, withField, withoutField, written } =
  await load("core/draft.js");
const { matching } = await load("core/matching.js");
const { draftAt, forgetDrafts, isAnyDraft } = await load("admin/drafts.js");

const RECORD = { name: "Eno", summary: "Lent.", maxTokens: 0 };

test("only what differs from the record is told", () => {
  let draft = withField({}, RECORD, "name", "Brian");
  draft = withField(draft, RECORD, "maxTokens", 0);
  assert.deepEqual(changesOf(draft, RECORD), { name: "Brian" });
  assert.equal(written(draft, RECORD, "name"), "Brian");
  assert.equal(written(draft, RECORD, "summary"), "Lent.");
});

test("what somebody else changed meanwhile is a conflict in the same field only", () => {
  let draft = withField({}, RECORD, "summary", "Vite.");
  draft = withField(draft, { ...RECORD, summary: "Calme." }, "summary", "Vite !");
  assert.deepEqual(conflictsOf(draft, RECORD), []);
  assert.deepEqual(conflictsOf(draft, { ...RECORD, name: "Brian" }), []);
  assert.deepEqual(conflictsOf(draft, { ...RECORD, summary: "Calme." }), ["summary"]);
  assert.deepEqual(conflictsOf(draft, { ...RECORD, summary: "Vite !" }), []);
});

test("who has seen the other words keeps the own ones, or leaves them", () => {
  const now = { ...RECORD, summary: "Calme." };
  const draft = withField({}, RECORD, "summary", "Vite.");
  const mine = keptMine(draft, now, "summary");
  assert.deepEqual(conflictsOf(mine, now), []);
  assert.deepEqual(changesOf(mine, now), { summary: "Vite." });
  assert.equal(written(withoutField(draft, "summary"), now, "summary"), "Calme.");
});

test("what is written while the server saves stays written", () => {
  const draft = withField({}, RECORD, "summary", "Vite.");
  const saved = changesOf(draft, RECORD);
  assert.deepEqual(afterSave(draft, saved), {});
  const later = afterSave(withField(draft, RECORD, "summary", "Vite !"), saved);
  assert.deepEqual(later, { summary: { was: "Vite.", is: "Vite !" } });
});

test("a draft waits in its place until all are forgotten", () => {
  draftAt("a").value = withField({}, RECORD, "name", "Brian");
  assert.equal(draftAt("a").value.name.is, "Brian");
  assert.deepEqual(draftAt("b").value, {});
  assert.equal(isAnyDraft(), true);
  forgetDrafts();
  assert.equal(isAnyDraft(), false);
  assert.deepEqual(draftAt("a").value, {});
});

test("somebody is found by a part of name, model or summary, without case or accents", () => {
  const list = [
    { name: "Éliane", model: "qwen3:8b", summary: "Sons tenus" },
    { name: "Turing", model: "mistral:7b" },
  ];
  const found = (words) => matching(list, words).map(({ name }) => name);
  assert.deepEqual(found(" eli "), ["Éliane"]);
  assert.deepEqual(found("MISTRAL"), ["Turing"]);
  assert.deepEqual(found("tenus"), ["Éliane"]);
  assert.deepEqual(found(""), ["Éliane", "Turing"]);
  assert.deepEqual(found("x.*"), []);
});
