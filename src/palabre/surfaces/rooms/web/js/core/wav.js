// What a microphone gave, as the 16 kHz mono WAV of 16 bits that ears of servers like best.

export const SPEECH_HZ = 16_000;

const HEADER_BYTES = 44;
const PHASES = 64;
const HALF_WIDTH = 12;

/** `samples` (Float32Array, from -1 to 1) as the bytes of a WAV file. */
export function wavOf(samples, hz = SPEECH_HZ) {
  const bytes = new Uint8Array(HEADER_BYTES + samples.length * 2);
  const view = new DataView(bytes.buffer);
  const word = (at, text) => [...text].forEach((sign, i) => (bytes[at + i] = sign.charCodeAt(0)));
  word(0, "RIFF");
  view.setUint32(4, bytes.length - 8, true);
  word(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, hz, true);
  view.setUint32(28, hz * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  word(36, "data");
  view.setUint32(40, samples.length * 2, true);
  samples.forEach((sample, i) => view.setInt16(HEADER_BYTES + i * 2, toInt16(sample), true));
  return bytes;
}

const toInt16 = (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * 32767);

/** Changes the rate of a stream, piece by piece, without what would fold back as noise. */
export class Resampler {
  #ratio;
  #reach;
  #kernels;
  #held;
  #position;

  /** @param fromHz rate of what is pushed; @param toHz rate of what comes out */
  constructor(fromHz, toHz = SPEECH_HZ) {
    this.#ratio = fromHz / toHz;
    this.#reach = Math.ceil(HALF_WIDTH * Math.max(1, this.#ratio));
    this.#kernels = kernels(this.#reach, Math.min(1, 1 / this.#ratio));
    this.#held = new Float32Array(this.#reach);
    this.#position = this.#reach;
  }

  /** The samples that are complete with this piece; the last few wait for the next one. */
  push(piece) {
    if (this.#ratio === 1) return piece;
    const input = new Float32Array(this.#held.length + piece.length);
    input.set(this.#held);
    input.set(piece, this.#held.length);
    const out = [];
    while (this.#position + this.#reach < input.length) {
      out.push(this.#at(input, this.#position));
      this.#position += this.#ratio;
    }
    const start = Math.max(0, Math.floor(this.#position) - this.#reach);
    this.#held = input.slice(start);
    this.#position -= start;
    return Float32Array.from(out);
  }

  #at(input, position) {
    const whole = Math.floor(position);
    const kernel = this.#kernels[Math.round((position - whole) * PHASES)];
    const first = whole - this.#reach;
    let sum = 0;
    for (let tap = 0; tap < kernel.length; tap += 1) sum += (input[first + tap] ?? 0) * kernel[tap];
    return sum;
  }
}

/** A windowed sinc for each place between two samples, each with the sum 1. */
function kernels(reach, cutoff) {
  return Array.from({ length: PHASES + 1 }, (_, phase) => {
    const taps = Array.from({ length: 2 * reach + 1 }, (_, tap) => {
      const x = tap - reach - phase / PHASES;
      return sinc(0.92 * cutoff * x) * window(x / (reach + 1));
    });
    const sum = taps.reduce((total, tap) => total + tap, 0);
    return Float32Array.from(taps, (tap) => tap / sum);
  });
}

const sinc = (x) => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));
const window = (x) => 0.42 + 0.5 * Math.cos(Math.PI * x) + 0.08 * Math.cos(2 * Math.PI * x);
