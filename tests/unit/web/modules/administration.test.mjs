import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualTimers, load, settled } from "./support.mjs";

const { PAGES, hashOf, routeOf } = await load("core/admin_route.js");
const { Api, Problem, withQuery, wordsFor } = await load("core/api.js");
const { changedFields } = await load("core/changes.js");
const { dailySeries } = await load("core/daily.js");
const { feedbackOf } = await load("core/feedback.js");
const { highlighted } = await load("core/highlight.js");
const { pageOf, placeOf } = await load("core/paging.js");
const { PERMISSIONS, may } = await load("core/roles.js");
const { wordDiff } = await load("core/word_diff.js");
const { SessionKeeper, WARN_MS } = await load("session.js");

const answer = (status, body, headers = {}) =>
  new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers });

function asked(responses) {
  const calls = [];
  let refusals = 0;
  const load = async (url, options) => {
    calls.push({ url, ...options });
    const next = responses.shift();
    if (next instanceof Error) throw next;
    return next;
  };
  const api = new Api({ load, now: () => 1_000_000, refused: () => (refusals += 1) });
  return { api, calls, refusals: () => refusals };
}

test("a place is written into the hash and read from it", () => {
  const hash = hashOf("personas", "à/b c", { tab: "x&y", empty: "" });
  assert.deepEqual(routeOf(hash), { page: "personas", id: "à/b c", query: { tab: "x&y" } });
  assert.deepEqual(routeOf(hashOf("history", "", { q: "a?b" })).query, { q: "a?b" });
});

test("an unknown page, and a broken one, are the first page", () => {
  for (const hash of ["", "#", "#constructor", "#nowhere/x", "#/"])
    assert.equal(routeOf(hash).page, Object.keys(PAGES)[0]);
  assert.equal(routeOf("#personas/%E0%A4").id, "%E0%A4");
});

test("an answer's data is given, and a body without envelope as it is", async () => {
  const { api } = asked([
    answer(200, { ok: true, data: [1] }),
    answer(200, { results: [], total: 0 }),
    answer(200, { ok: true, data: null }),
  ]);
  assert.deepEqual(await api.get("a"), [1]);
  assert.deepEqual(await api.get("a"), { results: [], total: 0 });
  assert.equal(await api.get("a"), null);
});

test("what is sent is JSON, and nothing is sent where there is nothing", async () => {
  const { api, calls } = asked([answer(200, { data: 1 }), answer(200, { data: 1 })]);
  await api.send("PUT", "a", { name: "é" });
  await api.send("POST", "b");
  assert.deepEqual(calls[0].headers, { "content-type": "application/json" });
  assert.equal(calls[0].body, '{"name":"é"}');
  assert.equal(calls[1].body, undefined);
});

test("only a missing session is told as one", async () => {
  const { api, refusals } = asked([
    answer(401, { ok: false, error: "invalid_credentials" }),
    answer(403, { ok: false, error: "permission_denied" }),
    answer(401, { ok: false, error: "session_required" }),
  ]);
  for (const count of [0, 0, 1]) {
    await assert.rejects(api.get("a"), Problem);
    assert.equal(refusals(), count);
  }
});

test("garbage, HTML and a broken line are problems, not crashes", async () => {
  const { api } = asked([answer(200, "<html>"), answer(502, "<html>"), new TypeError("offline")]);
  const found = [];
  for (let turn = 0; turn < 3; turn += 1)
    await api.get("a").catch(({ status, code }) => found.push([status, code]));
  assert.deepEqual(found, [
    [200, "unreadable"],
    [502, "unreadable"],
    [0, "offline"],
  ]);
});

test("a problem is told by its own words, else by those of its status", () => {
  const known = (code) => ["problem.persona_not_found", "problem.status_413"].includes(code);
  const words = (status, code) => wordsFor(new Problem(status, code), known);
  assert.equal(words(404, "persona_not_found"), "problem.persona_not_found");
  assert.equal(words(404, "not_found"), "problem.no_route");
  assert.equal(words(405, "method_not_allowed"), "problem.no_route");
  assert.equal(words(413, "x"), "problem.status_413");
  assert.equal(words(500, "x"), "problem.failed");
  assert.equal(words(400, "x"), "problem.refused");
});

test("what a query leaves empty is not written", () => {
  assert.equal(withQuery("a", { q: "é&", limit: 5, none: null, no: undefined, empty: "" }), "a?q=%C3%A9%26&limit=5");
  assert.equal(withQuery("a", {}), "a");
});

test("a role that nobody knows, and nobody at all, may do nothing", () => {
  assert.equal(may({ role: "admin" }, "session:manage"), true);
  assert.equal(may({ role: "viewer" }, "persona:write"), false);
  assert.equal(may({ role: "constructor" }, "ops:read"), false);
  assert.equal(may(null, "ops:read"), false);
  assert.deepEqual(Object.keys(PERMISSIONS), ["viewer", "operator", "editor", "admin"]);
});

const keeperOf = (responses) => {
  const timers = new ManualTimers();
  const api = new Api({
    load: async () => responses.shift(),
    now: timers.now,
    refused: () => keeper.lost(),
  });
  const preferences = { hasSession: false };
  const keeper = new SessionKeeper(api, timers, preferences);
  return { keeper, timers, preferences };
};

const session = (timers, lifeMs) => ({
  username: "ada",
  role: "editor",
  expiresAt: new Date(timers.now() + lifeMs).toISOString(),
});

test("a session tells its end before it comes, and ends", async () => {
  const responses = [];
  const { keeper, timers } = keeperOf(responses);
  responses.push(answer(200, { data: session(timers, 3_600_000) }));
  await keeper.logIn({ username: "ada" });
  assert.equal(keeper.session.value.username, "ada");
  timers.advance(3_600_000 - WARN_MS - 1);
  assert.equal(keeper.endsAt.value, null);
  timers.advance(1);
  assert.equal(keeper.endsAt.value, timers.now() + WARN_MS);
  timers.advance(WARN_MS);
  assert.equal(keeper.session.value, null);
  assert.equal(keeper.endsAt.value, null);
});

test("the end is told by the server's clock, not by ours", async () => {
  const responses = [];
  const { keeper, timers } = keeperOf(responses);
  const aheadMs = 7_200_000;
  const theirs = new Date(timers.now() + aheadMs);
  const told = { ...session(timers, aheadMs + WARN_MS + 60_000) };
  responses.push(answer(200, { data: told }, { date: theirs.toUTCString() }));
  await keeper.look();
  timers.advance(58_000);
  assert.equal(keeper.endsAt.value, null);
  timers.advance(3_000);
  assert.notEqual(keeper.endsAt.value, null);
});

test("a new session forgets the end of the one before", async () => {
  const responses = [];
  const { keeper, timers } = keeperOf(responses);
  responses.push(answer(200, { data: session(timers, 60_000) }));
  await keeper.logIn({});
  timers.advance(0);
  assert.notEqual(keeper.endsAt.value, null);
  responses.push(answer(200, { data: session(timers, 3_600_000) }));
  await keeper.logIn({});
  timers.advance(60_000);
  assert.equal(keeper.session.value.role, "editor");
  assert.equal(keeper.endsAt.value, null);
});

test("without a session nobody is in, and that is no problem", async () => {
  const { keeper } = keeperOf([answer(401, { error: "session_required" })]);
  await keeper.look();
  assert.equal(keeper.session.value, null);
});

test("a server that fails is a problem, and says nothing of who is in", async () => {
  const { keeper } = keeperOf([answer(500, { error: "internal_error" })]);
  await assert.rejects(keeper.look(), Problem);
  assert.equal(keeper.session.value, undefined);
});

test("whoever logs out is out, also when the session was gone", async () => {
  const responses = [];
  const { keeper, timers, preferences } = keeperOf(responses);
  responses.push(answer(200, { data: session(timers, 60_000) }));
  await keeper.logIn({});
  assert.equal(preferences.hasSession, true);
  responses.push(answer(401, { error: "session_required" }));
  await keeper.logOut();
  await settled();
  assert.equal(keeper.session.value, null);
  assert.equal(preferences.hasSession, false);
  assert.equal(keeper.hasLeft, true);
});

const spelled = (parts, kind) =>
  parts
    .filter((part) => part.kind !== kind)
    .map(({ text }) => text)
    .join("");

test("a difference spells both texts", () => {
  const pairs = [
    ["", ""],
    ["", "neuf"],
    ["vieux", ""],
    ["Parle peu, écoute.", "Parle moins, écoute bien."],
    ["a a a b", "a b a a"],
    ["x\ny", "x\n\ny z"],
    ["même", "même"],
  ];
  for (const [before, after] of pairs) {
    const parts = wordDiff(before, after);
    assert.equal(spelled(parts, "new"), before);
    assert.equal(spelled(parts, "gone"), after);
  }
});

test("a difference names whole words and leaves the others alone", () => {
  assert.deepEqual(wordDiff("elle parle peu", "elle parle moins"), [
    { kind: "same", text: "elle parle " },
    { kind: "gone", text: "peu" },
    { kind: "new", text: "moins" },
  ]);
});

test("words that change in a row are one change, not one each", () => {
  assert.deepEqual(wordDiff("elle reste sans un mot.", "elle reste et pose deux questions."), [
    { kind: "same", text: "elle reste " },
    { kind: "gone", text: "sans un mot" },
    { kind: "new", text: "et pose deux questions" },
    { kind: "same", text: "." },
  ]);
});

test("texts too long to compare word by word are still spelled", () => {
  const before = Array.from({ length: 3000 }, (_, index) => `a${index}`).join(" ");
  const after = Array.from({ length: 3000 }, (_, index) => `b${index}`).join(" ");
  const parts = wordDiff(`tête ${before} fin`, `tête ${after} fin`);
  assert.equal(spelled(parts, "new"), `tête ${before} fin`);
  assert.equal(spelled(parts, "gone"), `tête ${after} fin`);
  assert.equal(parts[0].text, "tête ");
});

const hits = (text, query) =>
  highlighted(text, query)
    .filter(({ hit }) => hit)
    .map(({ text: words }) => words);

test("hits are found whatever their case and accents, and the text stays whole", () => {
  assert.deepEqual(hits("Éric écrit, ERIC lit", "éric"), ["Éric", "ERIC"]);
  assert.deepEqual(hits("musique concrète et béton", "concrete beton"), ["concrète", "béton"]);
  for (const text of ["<b>été</b>", "ﬁn İstanbul ﬃ", "👩‍🚀 fin", ""]) {
    const parts = highlighted(text, "fin été i");
    assert.equal(parts.map((part) => part.text).join(""), text);
  }
});

test("a query without words marks nothing", () => {
  assert.deepEqual(hits("a . b", " . "), []);
  assert.deepEqual(hits("a+b (c)", "(c) a+"), ["a", "c"]);
});

test("days come from the oldest, with zeros between", () => {
  const rows = [
    { date: "2026-03-04", count: 7 },
    { date: "2026-03-01", count: 2 },
    { date: "nie", count: 3 },
    null,
    { date: "2026-03-02", count: "x" },
  ];
  const [seconds, counts] = dailySeries(rows);
  assert.equal(seconds[0], Date.UTC(2026, 2, 1) / 1000);
  assert.deepEqual(counts, [2, 0, 0, 7]);
  assert.deepEqual(dailySeries([]), [[], []]);
});

test("a vote is read from its message, and old words stay words", () => {
  const message = JSON.stringify({ type: "vote", vote: "up", response: "R", prompt: "P" });
  assert.deepEqual(feedbackOf({ kind: "vote", message }), {
    vote: "up",
    kind: "vote",
    response: "R",
    prompt: "P",
    text: "",
  });
  for (const text of ["trop long", "5", "null", '{"vote":"constructor"}', '{"a"'])
    assert.equal(feedbackOf({ kind: "vote", message: text }).text, text);
  assert.equal(feedbackOf({ kind: "vote", message: '{"vote":"up","response":{}}' }).response, "");
});

test("an entry tells the fields that differ", () => {
  const fields = changedFields({ name: "A", model: "m", list: [1] }, { name: "B", model: "m", on: true });
  assert.deepEqual(fields, [
    { name: "name", was: "A", is: "B" },
    { name: "list", was: "[1]", is: null },
    { name: "on", was: null, is: "true" },
  ]);
  assert.deepEqual(changedFields("x", { a: 1 }), [
    { name: "", was: "x", is: null },
    { name: "a", was: null, is: "1" },
  ]);
  assert.deepEqual(changedFields({}, {}), []);
});

test("pages beside are known at both ends", () => {
  assert.deepEqual(pageOf(0, 10, 25), { first: 1, last: 10, previous: null, next: 10 });
  assert.deepEqual(pageOf(20, 10, 25), { first: 21, last: 25, previous: 10, next: null });
  assert.deepEqual(pageOf(0, 10, 0), { first: 0, last: 0, previous: null, next: null });
  assert.deepEqual(["7", "-1", "x", undefined, "1e30"].map(placeOf), [7, 0, 0, 0, 0]);
});
