// Push to talk: held down, or pressed once to begin and once to send.

import { signal } from "../vendor/signals.js";
import { captureProblem } from "./core/capture_problem.js";
import { Recording } from "./core/recording.js";

/** A press that is shorter begins a recording that goes on without a finger. */
const TAP_MS = 350;

export class Microphone {
  /** "idle", "opening" (the browser asks the user) or "recording". */
  phase = signal("idle");
  /** Whether it goes on only while it is held down. */
  isHeld = signal(false);
  /** Whether letting go would throw away what was said. */
  isSliding = signal(false);
  seconds = signal(0);
  level = signal(0);
  /** {code, reason}, or null. */
  problem = signal(null);
  #open;
  #now;
  #said;
  #begun;
  #capture = null;
  #recording = null;
  #pressedAt = 0;
  #turn = 0;

  /**
   * @param open (onPiece) => Promise<{hz, close}>
   * @param now () => milliseconds
   * @param said (wav: Uint8Array) => void, gets what was recorded
   * @param begun (isRecording) => void
   */
  constructor({ open, now, said, begun }) {
    this.#open = open;
    this.#now = now;
    this.#said = said;
    this.#begun = begun;
  }

  press() {
    if (this.phase.value === "recording") return this.finish();
    if (this.phase.value === "opening") return this.cancel();
    this.#pressedAt = this.#now();
    this.isHeld.value = true;
    return this.#start();
  }

  release() {
    if (!this.isHeld.value) return;
    this.isHeld.value = false;
    if (this.isSliding.value) return this.cancel();
    const isTap = this.#now() - this.#pressedAt < TAP_MS;
    if (!isTap && this.phase.value === "recording") this.finish();
  }

  /** Throw away what was said. */
  cancel() {
    this.#end();
  }

  finish() {
    const recording = this.#recording;
    this.#end();
    if (recording?.isTooShort) this.problem.value = { code: "microphone.too_short" };
    else if (recording) this.#said(recording.wav());
  }

  async #start() {
    const turn = ++this.#turn;
    this.problem.value = null;
    this.phase.value = "opening";
    this.seconds.value = 0;
    this.#begun(true);
    try {
      const capture = await this.#open((piece) => this.#take(turn, piece));
      if (turn !== this.#turn) return capture.close();
      this.#capture = capture;
      this.#recording = new Recording(capture.hz);
      this.phase.value = "recording";
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#end();
      this.problem.value = captureProblem(error);
    }
  }

  #take(turn, piece) {
    if (turn !== this.#turn || !this.#recording) return;
    this.#recording.add(piece);
    this.level.value = this.#recording.level;
    this.seconds.value = Math.floor(this.#recording.seconds);
    if (this.#recording.isFull) this.finish();
  }

  #end() {
    if (this.phase.value === "idle") return;
    this.#turn += 1;
    this.#capture?.close();
    this.#capture = null;
    this.#recording = null;
    this.phase.value = "idle";
    this.isHeld.value = false;
    this.isSliding.value = false;
    this.level.value = 0;
    this.#begun(false);
  }
}
