import assert from "node:assert/strict";
import { test } from "node:test";
import { load, settled } from "./support.mjs";

const { captureProblem } = await load("core/capture_problem.js");
const { MAX_SECONDS, Recording, clockOf } = await load("core/recording.js");
const { Resampler, wavOf } = await load("core/wav.js");
const { Microphone } = await load("microphone.js");

/** A sine of `hz` as a microphone of `rate` gives it, for `seconds`. */
const sine = (hz, rate, seconds) =>
  Float32Array.from(
    { length: rate * seconds },
    (_, i) => 0.5 * Math.sin((2 * Math.PI * hz * i) / rate),
  );

/** How strong `hz` is in `samples`: 0.5 for a sine of that height (Goertzel). */
function strength(samples, hz, rate) {
  let [real, imaginary] = [0, 0];
  samples.forEach((sample, i) => {
    real += sample * Math.cos((2 * Math.PI * hz * i) / rate);
    imaginary += sample * Math.sin((2 * Math.PI * hz * i) / rate);
  });
  return (2 * Math.hypot(real, imaginary)) / samples.length;
}

function resampled(samples, rate, piece = 2048) {
  const resampler = new Resampler(rate);
  const out = [];
  for (let at = 0; at < samples.length; at += piece)
    out.push(...resampler.push(samples.subarray(at, at + piece)));
  return Float32Array.from(out);
}

test("a WAV says its sizes, its rate and its samples", () => {
  const view = new DataView(wavOf(Float32Array.of(0, 1, -1, 2, 0.5)).buffer);
  const word = (at) => String.fromCharCode(...new Uint8Array(view.buffer, at, 4));
  assert.deepEqual([word(0), word(8), word(12), word(36)], ["RIFF", "WAVE", "fmt ", "data"]);
  assert.equal(view.getUint32(4, true), view.byteLength - 8);
  assert.equal(view.getUint32(40, true), 10);
  assert.deepEqual(
    [20, 22, 34].map((at) => view.getUint16(at, true)),
    [1, 1, 16],
  );
  assert.deepEqual(
    [24, 28].map((at) => view.getUint32(at, true)),
    [16_000, 32_000],
  );
  const samples = [0, 1, 2, 3, 4].map((i) => view.getInt16(44 + i * 2, true));
  assert.deepEqual(samples, [0, 32767, -32767, 32767, 16384]);
});

for (const rate of [48_000, 44_100, 16_000, 8_000]) {
  test(`a voice keeps its length and its height from ${rate} Hz`, () => {
    const out = resampled(sine(440, rate, 2), rate);
    assert.ok(Math.abs(out.length / 16_000 - 2) < 0.01, `${out.length}`);
    assert.ok(Math.abs(strength(out.subarray(800, -800), 440, 16_000) - 0.5) < 0.02);
  });
}

test("what is too high does not come back as another sound", () => {
  const out = resampled(sine(13_000, 48_000, 1), 48_000).subarray(200, -200);
  assert.ok(strength(out, 3_000, 16_000) < 0.005);
  assert.ok(Math.max(...out.map(Math.abs)) < 0.01);
});

test("pieces of any length give the same as the whole", () => {
  const samples = sine(300, 44_100, 0.5);
  const [whole, pieces] = [
    resampled(samples, 44_100, samples.length),
    resampled(samples, 44_100, 137),
  ];
  assert.ok(Math.abs(whole.length - pieces.length) <= 1);
  assert.ok(pieces.every((sample, i) => Math.abs(sample - (whole[i] ?? sample)) < 1e-4));
});

test("a recording tells how long and how loud it is, and ends at its limit", () => {
  const recording = new Recording(16_000);
  recording.add(new Float32Array(1600));
  assert.deepEqual([recording.seconds, recording.level, recording.isTooShort], [0.1, 0, true]);
  recording.add(sine(200, 16_000, 1));
  assert.ok(recording.level > 0.7 && recording.level < 1);
  assert.equal(recording.isTooShort, false);
  for (let second = 0; second < MAX_SECONDS; second += 1) recording.add(new Float32Array(16_000));
  assert.equal(recording.isFull, true);
  assert.equal(recording.wav().length, 44 + MAX_SECONDS * 32_000);
});

test("seconds are read as a clock", () => {
  assert.deepEqual([0, 7.9, 60, 75].map(clockOf), ["0:00", "0:07", "1:00", "1:15"]);
});

test("each thing that can be wrong with a microphone has its sentence", () => {
  const code = (name) => captureProblem({ name, message: "" }).code;
  assert.equal(code("NotAllowedError"), "microphone.denied");
  assert.equal(code("NotFoundError"), "microphone.missing");
  assert.equal(code("NotReadableError"), "microphone.taken");
  assert.equal(code("SecurityError"), "microphone.insecure");
  assert.deepEqual(captureProblem({ name: "TypeError", message: "x" }), {
    code: "microphone.broken",
    reason: "x",
  });
});

function studio(fault = null) {
  const state = { now: 0, opened: 0, closed: 0, said: [], held: [], piece: null };
  const open = async (onPiece) => {
    state.opened += 1;
    state.piece = onPiece;
    if (fault) throw fault;
    return { hz: 16_000, close: () => (state.closed += 1) };
  };
  const microphone = new Microphone({
    open,
    now: () => state.now,
    said: (wav) => state.said.push(wav),
    begun: (isRecording) => state.held.push(isRecording),
  });
  return { microphone, state };
}

test("held down, it records until it is let go", async () => {
  const { microphone, state } = studio();
  microphone.press();
  await settled();
  state.piece(new Float32Array(16_000));
  state.now = 1000;
  microphone.release();
  assert.equal(state.said[0].length, 44 + 32_000);
  assert.deepEqual([state.closed, state.held, microphone.phase.value], [1, [true, false], "idle"]);
});

test("pressed shortly, it records until it is pressed again", async () => {
  const { microphone, state } = studio();
  microphone.press();
  state.now = 100;
  microphone.release();
  await settled();
  assert.equal(microphone.phase.value, "recording");
  state.piece(new Float32Array(16_000));
  assert.equal(microphone.seconds.value, 1);
  microphone.press();
  microphone.release();
  assert.equal(state.said.length, 1);
  assert.equal(microphone.phase.value, "idle");
});

test("sliding away, or taking it back, sends nothing", async () => {
  const { microphone, state } = studio();
  microphone.press();
  await settled();
  state.piece(new Float32Array(16_000));
  microphone.isSliding.value = true;
  state.now = 1000;
  microphone.release();
  assert.deepEqual([state.said, state.closed, microphone.isSliding.value], [[], 1, false]);
  microphone.press();
  await settled();
  microphone.cancel();
  assert.deepEqual([state.said, state.closed], [[], 2]);
});

test("a slip of the finger is told and not sent", async () => {
  const { microphone, state } = studio();
  microphone.press();
  await settled();
  state.piece(new Float32Array(100));
  state.now = 1000;
  microphone.release();
  assert.deepEqual([state.said, microphone.problem.value], [[], { code: "microphone.too_short" }]);
});

test("a minute is sent by itself", async () => {
  const { microphone, state } = studio();
  microphone.press();
  await settled();
  state.piece(new Float32Array(16_000 * 61));
  assert.equal(state.said[0].length, 44 + MAX_SECONDS * 32_000);
  assert.equal(microphone.phase.value, "idle");
});

test("a refused microphone is told, and voices go on", async () => {
  const { microphone, state } = studio(Object.assign(new Error("no"), { name: "NotAllowedError" }));
  microphone.press();
  await settled();
  assert.equal(microphone.problem.value.code, "microphone.denied");
  assert.deepEqual([microphone.phase.value, state.held], ["idle", [true, false]]);
});

test("a microphone that opens after it was taken back is closed at once", async () => {
  const { microphone, state } = studio();
  microphone.press();
  microphone.cancel();
  await settled();
  assert.deepEqual([state.closed, microphone.phase.value, state.said], [1, "idle", []]);
});
