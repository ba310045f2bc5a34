// What is being said into the microphone, until it is sent or thrown away.

import { Resampler, SPEECH_HZ, wavOf } from "./wav.js";

export const MAX_SECONDS = 60;

/** Shorter is a slip of the finger. */
export const MIN_SECONDS = 0.4;

/** What the level meter shows as nothing, in decibels below the loudest. */
const FLOOR_DB = -60;

export class Recording {
  /** How loud the last piece was, from 0 to 1 on a scale of decibels. */
  level = 0;
  #resampler;
  #pieces = [];
  #length = 0;

  /** @param hz rate of the microphone's samples */
  constructor(hz) {
    this.#resampler = new Resampler(hz);
  }

  get seconds() {
    return this.#length / SPEECH_HZ;
  }

  get isFull() {
    return this.seconds >= MAX_SECONDS;
  }

  get isTooShort() {
    return this.seconds < MIN_SECONDS;
  }

  /** Take a piece of samples (Float32Array, from -1 to 1). */
  add(piece) {
    this.level = levelOf(piece);
    const samples = this.#resampler.push(piece);
    const left = MAX_SECONDS * SPEECH_HZ - this.#length;
    const kept = samples.subarray(0, left);
    this.#pieces.push(kept);
    this.#length += kept.length;
  }

  /** All that was said, as the bytes of a WAV file. */
  wav() {
    const whole = new Float32Array(this.#length);
    let at = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return wavOf(whole);
  }
}

function levelOf(piece) {
  const power = piece.reduce((sum, sample) => sum + sample * sample, 0) / (piece.length || 1);
  const decibels = 10 * Math.log10(power + 1e-12);
  return Math.max(0, Math.min(1, 1 - decibels / FLOOR_DB));
}

/** Seconds as a reader's clock: 7 is "0:07". */
export const clockOf = (seconds) =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
