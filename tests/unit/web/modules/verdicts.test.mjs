import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./support.mjs";

const { EMPTY_VERDICTS, MAX_PINS, isJudged, judgementOf, readPins, withPin } =
  await load("core/verdicts.js");
const { EMPTY_ROOM, currentLog, received } = await load("core/room.js");
const { Problem } = await load("core/api.js");
const { Verdicts } = await load("verdicts.js");

const LINE = { id: 4, kind: "message", replyId: "r1", nick: "Eno", text: "Oui.", prompt: "Et ?", at: 5 };

/** Verdicts whose server answers as `answers` says, one after the other: true, or a Problem. */
function judging(answers, ticket = { ticket: "t1" }) {
  const sent = [];
  const failed = [];
  const api = {
    async send(...call) {
      sent.push(call);
      const answer = await answers.shift();
      if (answer !== true) throw answer;
    },
  };
  const preferences = { pins: [] };
  const verdicts = new Verdicts({
    api,
    tickets: { take: async () => ticket },
    preferences,
    failed: (line, problem) => failed.push([line.nick, problem.code]),
  });
  return { verdicts, sent, failed, preferences };
}

const refused = () => new Problem(400, "no");

test("a thumb is told with the answer, its prompt and the connection's ticket", async () => {
  const { verdicts, sent } = judging([true]);
  await verdicts.vote(LINE, "up", "#general");
  const body = {
    personaNick: "Eno",
    response: "Oui.",
    prompt: "Et ?",
    messageId: "r1",
    vote: "up",
    channel: "#general",
  };
  assert.deepEqual(sent, [["POST", "api/v2/feedback", body, { "x-upload-ticket": "t1" }]]);
  assert.deepEqual(verdicts.all.value.votes, { r1: "up" });
});

test("without a ticket, none is shown", async () => {
  for (const ticket of [null, "offline", "busy"]) {
    const { verdicts, sent } = judging([true], ticket);
    await verdicts.vote(LINE, "up", "#general");
    assert.deepEqual(sent[0][3], {});
  }
});

test("the opposite thumb replaces the first, the same one takes it back", async () => {
  const { verdicts, sent } = judging([true, true, true]);
  await verdicts.vote(LINE, "up", "#general");
  await verdicts.vote(LINE, "down", "#general");
  assert.deepEqual(verdicts.all.value.votes, { r1: "down" });
  await verdicts.vote({ ...LINE, nick: "É&" }, "down", "#general");
  assert.deepEqual(verdicts.all.value.votes, {});
  const path = "api/v2/feedback/r1?personaNick=%C3%89%26&vote=down";
  assert.deepEqual(sent[2], ["DELETE", path, undefined, { "x-upload-ticket": "t1" }]);
});

test("a thumb that the server does not take back stands again; one that it never had is gone", async () => {
  const { verdicts, failed } = judging([true, refused(), new Problem(404, "feedback_not_found")]);
  await verdicts.vote(LINE, "up", "#general");
  await verdicts.vote(LINE, "up", "#general");
  assert.deepEqual(verdicts.all.value.votes, { r1: "up" });
  await verdicts.vote(LINE, "up", "#general");
  assert.deepEqual(verdicts.all.value.votes, {});
  assert.equal(failed.length, 1);
});

test("what is pressed faster than the server answers is told in its order", async () => {
  let answer;
  const { verdicts, sent } = judging([new Promise((resolve) => (answer = resolve)), true]);
  const first = verdicts.vote(LINE, "up", "#general");
  const second = verdicts.vote(LINE, "up", "#general");
  await new Promise(setImmediate);
  assert.equal(sent.length, 1);
  answer(true);
  await Promise.all([first, second]);
  assert.deepEqual(sent.map(([method]) => method), ["POST", "DELETE"]);
  assert.deepEqual(verdicts.all.value.votes, {});
});

test("a thumb that the server does not take goes back to what it was", async () => {
  const { verdicts, failed } = judging([refused(), true, refused()]);
  await verdicts.vote(LINE, "up", "#general");
  assert.deepEqual(verdicts.all.value.votes, {});
  await verdicts.vote(LINE, "up", "#general");
  await verdicts.vote(LINE, "down", "#general");
  assert.deepEqual(verdicts.all.value.votes, { r1: "up" });
  assert.deepEqual(failed, [
    ["Eno", "no"],
    ["Eno", "no"],
  ]);
});

test("a pin is kept, and taken out again, here and there", async () => {
  const { verdicts, sent, preferences } = judging([true, true]);
  await verdicts.pin(LINE, "#général");
  const pin = { id: "r1", nick: "Eno", color: undefined, text: "Oui.", channel: "#général", at: 5 };
  assert.deepEqual(preferences.pins, [pin]);
  await verdicts.pin(LINE, "#général");
  assert.deepEqual(preferences.pins, []);
  assert.deepEqual(sent[1].slice(0, 2), ["DELETE", "api/v2/feedback/r1?personaNick=Eno&vote=pin"]);
});

test("a pin that the server does not take is not kept", async () => {
  const { verdicts, preferences, failed } = judging([refused()]);
  await verdicts.pin(LINE, "#general");
  assert.deepEqual(preferences.pins, []);
  assert.equal(failed.length, 1);
});

test("pins are remembered up to a limit, the newest first and none twice", () => {
  let verdicts = EMPTY_VERDICTS;
  for (let turn = 0; turn < MAX_PINS + 5; turn += 1) verdicts = withPin(verdicts, { id: `r${turn}` });
  verdicts = withPin(verdicts, { id: "r50" });
  assert.equal(verdicts.pins.length, MAX_PINS);
  assert.equal(verdicts.pins[0].id, "r50");
  assert.equal(verdicts.pins.filter(({ id }) => id === "r50").length, 1);
});

test("what the browser kept is read with care", () => {
  const good = { id: "r", nick: "Eno", text: "t", channel: "#c", color: 5, at: "x", extra: 1 };
  const kept = [null, 5, "x", {}, { ...good, text: 5 }, good];
  assert.deepEqual(readPins(kept), [{ id: "r", nick: "Eno", text: "t", channel: "#c", color: null, at: null }]);
  for (const odd of [null, undefined, {}, "x"]) assert.deepEqual(readPins(odd), []);
});

test("only whole answers of personas that have an id can be judged", () => {
  const personas = new Map([["Eno", "#90caf9"]]);
  assert.equal(isJudged(LINE, personas), true);
  for (const odd of [{ replyId: undefined }, { cut: true }, { kind: "system" }, { nick: "Ada" }, { own: true }])
    assert.equal(isJudged({ ...LINE, ...odd }, personas), false);
});

const frames = (...list) => list.reduce((room, frame) => received(room, frame, 1), EMPTY_ROOM);
const persona = { type: "persona", nick: "Eno", color: "#90caf9" };
const said = (nick, text, replyId) => ({ type: "message", nick, text, ...(replyId && { replyId }) });

test("an answer remembers what a human had said when it began", () => {
  const room = frames(
    persona,
    said("Ada", "première"),
    { type: "chunk", nick: "Eno", text: "Ou", seq: 1, replyId: "r1" },
    said("Lea", "deuxième"),
    said("Eno", "Oui.", "r1"),
    said("Eno", "Encore.", "r2"),
  );
  const prompts = currentLog(room).lines.filter(({ nick }) => nick === "Eno");
  assert.deepEqual(
    prompts.map(({ prompt }) => prompt),
    ["première", "deuxième"],
  );
});

test("an answer to another persona belongs to the human who began the chain", () => {
  const room = frames(persona, said("Ada", "question"), said("Eno", "@Eno ?", "r1"), said("Eno", "Oui.", "r2"));
  assert.equal(currentLog(room).lines.at(-1).prompt, "question");
});

test("a prompt that is not known is not told", () => {
  assert.equal("prompt" in judgementOf({ ...LINE, prompt: "" }, "up", "#c"), false);
});
