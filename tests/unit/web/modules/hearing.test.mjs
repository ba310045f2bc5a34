import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CountingUrls,
  FakeSocket,
  ManualTimers,
  MemoryPreferences,
  load,
  motd,
  settled,
} from "./support.mjs";

const { Client } = await load("client.js");
const { HOLD_MS, MAX_TURNS, QUIET_MS, Speech } = await load("core/speech.js");
const { MAX_VOICE_BYTES, Voices } = await load("core/voices.js");
const { Player } = await load("player.js");
const { Preferences } = await load("preferences.js");
const { Voice } = await load("voice.js");

/** Plays what it is told to and writes it down; the test says when a sound ends. */
class LoggedPlayer {
  log = [];
  volume = null;
  #end = null;

  play(url) {
    this.log.push(url);
    return new Promise((end) => (this.#end = end));
  }

  stop() {
    this.log.push("stop");
    this.ends("stopped");
  }

  pause() {
    this.log.push("pause");
  }

  resume() {
    this.log.push("resume");
  }

  async ends(outcome = "ended") {
    this.#end?.(outcome);
    this.#end = null;
    await settled();
  }
}

function heard() {
  const [player, timers, growing] = [new LoggedPlayer(), new ManualTimers(), new Set()];
  const speech = new Speech({
    player,
    timers,
    isGrowing: (key) => growing.has(key),
    changed: () => {},
  });
  const say = (key, number, nick = key) =>
    speech.take({ key, nick, number, url: `${key}${number}` });
  return { player, timers, growing, speech, say };
}

test("sentences of a reply follow their numbers, not their coming", async () => {
  const { player, say } = heard();
  for (const number of [1, 3, 2]) say("A", number);
  for (let ends = 0; ends < 3; ends += 1) await player.ends();
  assert.deepEqual(player.log, ["A1", "A2", "A3"]);
});

test("a persona does not fall into another one's words", async () => {
  const { player, timers, growing, say } = heard();
  growing.add("A").add("B");
  say("A", 1);
  say("B", 1);
  await player.ends();
  say("A", 2);
  assert.deepEqual(player.log, ["A1", "A2"]);
  growing.delete("A");
  await player.ends();
  timers.advance(QUIET_MS - 1);
  assert.deepEqual(player.log, ["A1", "A2"]);
  timers.advance(1);
  assert.deepEqual(player.log, ["A1", "A2", "B1"]);
});

test("a reply that stays silent while it is written does not hold the others for ever", async () => {
  const { player, timers, growing, say } = heard();
  growing.add("A");
  say("A", 1);
  say("B", 1);
  await player.ends();
  timers.advance(HOLD_MS);
  assert.deepEqual(player.log, ["A1", "B1"]);
});

test("two replies of one persona are two turns", async () => {
  const { player, timers, speech } = heard();
  for (const [key, number] of [
    ["r1", 1],
    ["r2", 1],
    ["r1", 2],
  ])
    speech.take({ key, nick: "Batty", number, url: `${key}-${number}` });
  await player.ends();
  await player.ends();
  timers.advance(QUIET_MS);
  assert.deepEqual(player.log, ["r1-1", "r1-2", "r2-1"]);
});

test("a sound that cannot be played is passed over", async () => {
  const { player, say } = heard();
  say("A", 1);
  say("A", 2);
  await player.ends("broken");
  assert.deepEqual(player.log, ["A1", "A2"]);
});

test("who speaks is known while it is heard, and that somebody may go on a little longer", async () => {
  const { player, timers, speech, say } = heard();
  say("A", 1, "Batty");
  assert.deepEqual(speech.speaking, { key: "A", nick: "Batty" });
  await player.ends();
  assert.deepEqual([speech.speaking, speech.isBusy], [null, true]);
  timers.advance(QUIET_MS);
  assert.equal(speech.isBusy, false);
});

test("a reply that was stopped is silent at once, and what comes of it later too", () => {
  const { player, speech, say } = heard();
  say("A", 1);
  say("A", 2);
  say("B", 1);
  speech.drop("A");
  say("A", 3);
  assert.deepEqual(player.log, ["A1", "stop", "B1"]);
});

test("silence empties everything that waits, and a new reply is heard again", () => {
  const { player, speech, say } = heard();
  say("A", 1);
  say("B", 1);
  speech.hush(["C"]);
  say("B", 2);
  say("C", 1);
  assert.deepEqual(player.log, ["A1", "stop"]);
  say("D", 1);
  assert.equal(player.log.at(-1), "D1");
});

test("a muted persona is silent at once, the others go on", () => {
  const { player, speech, say } = heard();
  say("A", 1, "Batty");
  say("B", 1, "Radigue");
  speech.mute("Batty");
  assert.deepEqual(player.log, ["A1", "stop", "B1"]);
});

test("nothing is heard while the user speaks, and all of it after", async () => {
  const { player, speech, say } = heard();
  speech.hold(true);
  say("A", 1);
  assert.deepEqual(player.log, ["pause"]);
  speech.hold(false);
  assert.deepEqual(player.log, ["pause", "A1"]);
  speech.hold(true);
  speech.hold(false);
  assert.deepEqual(player.log.slice(2), ["pause", "resume"]);
});

test("a browser that wants a click keeps the sentence until there is one", async () => {
  const { player, speech, say } = heard();
  say("A", 1, "Batty");
  await player.ends("blocked");
  assert.deepEqual([speech.blocked, speech.speaking], ["Batty", null]);
  speech.unblock();
  assert.equal(speech.blocked, null);
  assert.deepEqual(player.log, ["A1", "A1"]);
});

test("where more is said than can be heard, the oldest that waits is left out", async () => {
  const { player, timers, say } = heard();
  for (let reply = 0; reply <= MAX_TURNS; reply += 1) say(`R${reply}-`, 1);
  for (let reply = 0; reply < MAX_TURNS; reply += 1) {
    await player.ends();
    timers.advance(QUIET_MS);
  }
  assert.deepEqual(player.log, ["R0-1", "R2-1", "R3-1", "R4-1", "R5-1", "R6-1"]);
});

test("a reply is heard again at once, and what it cut off after it", async () => {
  const { player, timers, speech, say } = heard();
  say("B", 1);
  speech.replay("A", "A", [
    { number: 1, url: "A1" },
    { number: 2, url: "A2" },
  ]);
  await player.ends();
  await player.ends();
  timers.advance(QUIET_MS);
  assert.deepEqual(player.log, ["B1", "stop", "A1", "A2", "B1"]);
});

// What is kept ------------------------------------------------------------------------------------

test("sounds are kept in order, and freed with their line", () => {
  const urls = new CountingUrls();
  const voices = new Voices(urls);
  const sound = new Blob([new Uint8Array(10)]);
  voices.put({ key: "A", nick: "Batty", number: 2 }, sound);
  voices.put({ key: "A", nick: "Batty", number: 1 }, sound);
  assert.deepEqual(
    voices.get("A").sentences.map(({ url }) => url),
    ["blob:2", "blob:1"],
  );
  voices.keepOnly(() => false);
  assert.deepEqual([urls.held.size, voices.bytes, voices.get("A")], [0, 0, null]);
});

test("the oldest sounds go beyond the limit, but not those that are still to be heard", () => {
  const urls = new CountingUrls();
  const voices = new Voices(urls);
  const sound = { size: MAX_VOICE_BYTES / 2 };
  const put = (key) => voices.put({ key, nick: key, number: 1 }, sound, (other) => other === "A");
  for (const key of ["A", "B", "C"]) put(key);
  assert.deepEqual(voices.keys, ["A", "C"]);
  assert.equal(urls.held.size, 2);
});

// The page's voice --------------------------------------------------------------------------------

const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAgD4AAAB9AAACABAAZGF0YQAAAAA=";
const audio = (replyId, number, nick = "Batty") => ({
  type: "audio",
  nick,
  data: WAV,
  mimeType: "audio/wav",
  replyId,
  number,
});

function listening({ isSilent = false, volume = 1, muted = [] } = {}) {
  const [player, timers, urls] = [new LoggedPlayer(), new ManualTimers(), new CountingUrls()];
  const socket = new FakeSocket();
  const client = new Client({
    openSocket: () => socket,
    preferences: new MemoryPreferences("Ada"),
    timers,
    urls,
  });
  const preferences = { isSilent, volume, muted };
  const isGrowing = (id) => client.isGrowing(id);
  const voice = new Voice({ player, timers, urls, preferences, isGrowing });
  client.voice = voice;
  client.connect();
  socket.opens();
  socket.says(motd("Ada"));
  socket.says({ type: "persona", nick: "Batty", color: "#ff0000" });
  return { client, socket, voice, player, urls, preferences, timers };
}

const grows = (replyId) => ({
  type: "chunk",
  nick: "Batty",
  text: "a",
  replyId,
  color: "#ff0000",
  seq: 1,
});
const ends = (replyId) => ({
  type: "message",
  nick: "Batty",
  text: "a",
  replyId,
  color: "#ff0000",
  seq: 9,
});

test("a sentence that is heard adds no line, and marks the line of its reply", async () => {
  const { client, socket, voice, player } = listening();
  socket.says(grows("r1"));
  const count = client.log.value.lines.length;
  socket.says(audio("r1", 1));
  assert.equal(client.log.value.lines.length, count);
  assert.deepEqual(voice.speaking.value, { key: "r1", nick: "Batty" });
  socket.says(ends("r1"));
  await player.ends();
  assert.equal(client.log.value.lines.at(-1).replyId, "r1");
  assert.ok(voice.heard.value.has("r1"));
  voice.replay("r1");
  assert.deepEqual(player.log, ["blob:1", "blob:1"]);
});

test("what is said while the sound is off, or by who is muted, is not even unpacked", () => {
  const { socket, voice, player, urls, preferences } = listening({ isSilent: true });
  socket.says(audio("r1", 1));
  voice.turn(true);
  voice.mute("Batty", true);
  socket.says(audio("r2", 1));
  assert.deepEqual([player.log, urls.held.size], [[], 0]);
  assert.deepEqual([preferences.isSilent, preferences.muted], [false, ["Batty"]]);
  voice.mute("Batty", false);
  socket.says(audio("r3", 1));
  assert.equal(player.log.length, 1);
});

test("turning the sound off is silence at once", () => {
  const { socket, voice, player } = listening();
  socket.says(audio("r1", 1));
  socket.says(audio("r1", 2));
  voice.turn(false);
  assert.deepEqual(player.log, ["blob:1", "stop"]);
  assert.equal(voice.isBusy.value, false);
});

test("the volume is remembered and set before the first sound", () => {
  const { voice, player, preferences } = listening({ volume: 0.4 });
  assert.equal(player.volume, 0.4);
  voice.setVolume(0.7);
  assert.deepEqual([player.volume, preferences.volume], [0.7, 0.7]);
});

test("the user's own stop silences, and what is still made of that reply is not heard", () => {
  const { client, socket, player } = listening();
  client.say("@Batty bonjour");
  socket.says({ type: "message", nick: "Ada", text: "@Batty bonjour", color: "#ffffff", seq: 1 });
  socket.says(grows("r1"));
  socket.says(audio("r1", 1));
  client.stop();
  assert.deepEqual(socket.sent.at(-1), { type: "command", text: "/stop" });
  socket.says(audio("r1", 2));
  assert.deepEqual(player.log, ["blob:1", "stop"]);
});

test("a reply that somebody else stopped falls silent", () => {
  const { socket, player } = listening();
  socket.says(grows("r1"));
  socket.says(audio("r1", 1));
  socket.says({ type: "system", text: "Batty: interrompu", replyId: "r1", seq: 5 });
  socket.says(audio("r1", 2));
  assert.deepEqual(player.log, ["blob:1", "stop"]);
});

test("stop without an answer under way only silences", () => {
  const { client, socket, player } = listening();
  socket.says(audio("r1", 1));
  client.stop();
  assert.deepEqual([player.log.at(-1), socket.sent.length], ["stop", 0]);
});

test("the voices of a channel are not taken along to another one", () => {
  const { socket, player } = listening();
  socket.says(audio("r1", 1));
  socket.says({ type: "channelInfo", channel: "#autre" });
  assert.equal(player.log.at(-1), "stop");
});

test("sounds are freed when their lines are cleared", async () => {
  const { socket, player, urls, timers } = listening();
  socket.says(grows("r1"));
  socket.says(audio("r1", 1));
  socket.says(ends("r1"));
  await player.ends();
  timers.advance(QUIET_MS);
  assert.equal(urls.held.size, 1);
  socket.says({ type: "system", text: "__clear__" });
  assert.equal(urls.held.size, 0);
});

test("a server without reply ids is heard in the order of its numbers", async () => {
  const { socket, player } = listening();
  for (const seq of [4, 5])
    socket.says({ type: "audio", nick: "Batty", data: WAV, mimeType: "audio/wav", seq });
  await player.ends();
  assert.deepEqual(player.log, ["blob:1", "blob:2"]);
});

test("sounds of another kind, or broken ones, are left out", () => {
  const { socket, player } = listening();
  socket.says({ ...audio("r1", 1), mimeType: "text/html" });
  socket.says({ ...audio("r1", 1), data: "%%%" });
  socket.says({ ...audio("r1", 1), number: "1" });
  assert.deepEqual(player.log, []);
});

// The browser's parts -----------------------------------------------------------------------------

class FakeElement extends EventTarget {
  src = "";
  volume = 1;
  plays = 0;
  refusal = null;

  play() {
    this.plays += 1;
    return this.refusal
      ? Promise.reject(Object.assign(new Error(), { name: this.refusal }))
      : Promise.resolve();
  }

  pause() {}
}

test("the player tells how each sound ended", async () => {
  const element = new FakeElement();
  const player = new Player(element);
  const first = player.play("blob:1");
  element.dispatchEvent(new Event("ended"));
  const second = player.play("blob:2");
  element.dispatchEvent(new Event("error"));
  const third = player.play("blob:3");
  player.stop();
  element.refusal = "NotAllowedError";
  const fourth = player.play("blob:4");
  assert.deepEqual(await Promise.all([first, second, third, fourth]), [
    "ended",
    "broken",
    "stopped",
    "blocked",
  ]);
});

test("a pause is no refusal, and the sound goes on from there", async () => {
  const element = new FakeElement();
  const player = new Player(element);
  element.refusal = "AbortError";
  const playing = player.play("blob:1");
  player.pause();
  await settled();
  element.refusal = null;
  player.resume();
  element.dispatchEvent(new Event("ended"));
  assert.deepEqual([await playing, element.plays], ["ended", 2]);
});

test("the browser remembers switch, volume and who is muted, and survives what others wrote", () => {
  const kept = new Map();
  const localStorage = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, String(value)),
  };
  const preferences = () => new Preferences(() => ({ localStorage, sessionStorage: localStorage }));
  assert.deepEqual(
    [preferences().isSilent, preferences().volume, preferences().muted],
    [false, 1, []],
  );
  Object.assign(preferences(), { isSilent: true, volume: 0, muted: ["Batty"] });
  assert.deepEqual(
    [preferences().isSilent, preferences().volume, preferences().muted],
    [true, 0, ["Batty"]],
  );
  for (const key of kept.keys()) kept.set(key, "{nonsense");
  assert.deepEqual(
    [preferences().isSilent, preferences().volume, preferences().muted],
    [false, 1, []],
  );
});
