import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeSocket, ManualTimers, load } from "./support.mjs";

const { delayBefore } = await load("core/backoff.js");
const { Connection } = await load("core/connection.js");

function connection() {
  const timers = new ManualTimers();
  const sockets = [];
  const statuses = [];
  const frames = [];
  const openSocket = () => {
    sockets.push(new FakeSocket());
    return sockets.at(-1);
  };
  const listener = {
    status: (status) => statuses.push(status),
    opened() {},
    closed() {},
    frame: (text) => frames.push(text),
  };
  const subject = new Connection(openSocket, timers, listener);
  subject.connect();
  return { subject, timers, sockets, statuses, frames };
}

test("the delays are 1, 2, 4, 8, 16 and then 30 seconds, twenty times in all", () => {
  const delays = Array.from({ length: 20 }, (_, index) => delayBefore(index + 1) / 1000);
  assert.deepEqual(delays, [1, 2, 4, 8, 16, ...Array(15).fill(30)]);
  assert.equal(delayBefore(21), null);
});

test("a lost connection is tried again after each delay, and never earlier", () => {
  const { timers, sockets } = connection();
  sockets[0].opens();
  for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
    const before = sockets.length;
    sockets.at(-1).breaks();
    timers.advance(seconds * 1000 - 1);
    assert.equal(sockets.length, before);
    timers.advance(1);
    assert.equal(sockets.length, before + 1);
  }
});

test("after twenty attempts the connection is given up and says so", () => {
  const { timers, sockets, statuses } = connection();
  sockets[0].opens();
  sockets[0].breaks();
  for (let attempt = 1; attempt <= 20; attempt += 1) {
    assert.equal(statuses.at(-1).state, "reconnecting");
    assert.equal(statuses.at(-1).attempt, attempt);
    timers.advance(30_000);
    sockets.at(-1).breaks();
  }
  assert.equal(statuses.at(-1).state, "disconnected");
  timers.advance(600_000);
  assert.equal(sockets.length, 21);
});

test("an open connection starts the delays again from one second", () => {
  const { timers, sockets, statuses } = connection();
  sockets[0].breaks();
  timers.advance(1000);
  sockets[1].breaks();
  timers.advance(2000);
  sockets[2].opens();
  assert.deepEqual(statuses.at(-1), { state: "connected", attempt: 0, retryAt: null });
  sockets[2].breaks();
  assert.equal(statuses.at(-1).retryAt, timers.now() + 1000);
});

test("the status tells when the next attempt comes", () => {
  const { timers, sockets, statuses } = connection();
  sockets[0].breaks();
  timers.advance(1000);
  sockets[1].breaks();
  assert.deepEqual(statuses.at(-1), {
    state: "reconnecting",
    attempt: 2,
    retryAt: timers.now() + 2000,
  });
});

test("closing on the user's wish is final until the user connects again", () => {
  const { subject, timers, sockets, statuses } = connection();
  sockets[0].opens();
  subject.disconnect();
  timers.advance(600_000);
  assert.equal(statuses.at(-1).state, "disconnected");
  assert.equal(sockets.length, 1);
  subject.connect();
  sockets[1].opens();
  assert.equal(statuses.at(-1).state, "connected");
});

test("connecting by hand while an attempt is awaited leaves one connection", () => {
  const { subject, timers, sockets } = connection();
  sockets[0].breaks();
  subject.connect();
  timers.advance(60_000);
  assert.equal(sockets.length, 2);
});

test("what an abandoned socket still says is not heard", () => {
  const { subject, sockets, frames } = connection();
  sockets[0].opens();
  subject.connect();
  sockets[0].says("late");
  sockets[1].says("now");
  assert.deepEqual(frames, ["now"]);
});

test("a frame is sent on an open connection only", () => {
  const { subject, sockets } = connection();
  assert.equal(subject.send({ type: "message", text: "a" }), false);
  sockets[0].opens();
  assert.equal(subject.send({ type: "message", text: "b" }), true);
  assert.deepEqual(sockets[0].sent, [{ type: "message", text: "b" }]);
});

test("a server that wants a session first is not asked again until somebody connects", () => {
  const { subject, timers, sockets, statuses } = connection();
  sockets[0].opens();
  sockets[0].breaks(4401);
  assert.equal(statuses.at(-1).state, "locked");
  timers.advance(600_000);
  assert.equal(sockets.length, 1);
  subject.connect();
  sockets[1].opens();
  assert.equal(statuses.at(-1).state, "connected");
});

test("whoever was inside when the session ended is told so, and others are not", () => {
  const { sockets, statuses, timers } = connection();
  sockets[0].opens();
  sockets[0].breaks(4401, "session_ended");
  assert.equal(statuses.at(-1).state, "ended");
  timers.advance(600_000);
  assert.equal(sockets.length, 1);
  const stranger = connection();
  stranger.sockets[0].opens();
  stranger.sockets[0].breaks(4401, "session_required");
  assert.equal(stranger.statuses.at(-1).state, "locked");
});

test("a server that cannot use the name is not asked again", () => {
  const { timers, sockets, statuses } = connection();
  sockets[0].opens();
  sockets[0].breaks(4409);
  assert.equal(statuses.at(-1).state, "refused");
  timers.advance(600_000);
  assert.equal(sockets.length, 1);
});
