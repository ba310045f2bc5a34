// Runs beside the page: hands on what the microphone gives, in pieces.

const PIECE = 2048;

class Capture extends AudioWorkletProcessor {
  #piece = new Float32Array(PIECE);
  #length = 0;

  process([[samples]]) {
    for (const sample of samples ?? []) {
      this.#piece[this.#length++] = sample;
      if (this.#length === PIECE) this.#hand();
    }
    return true;
  }

  #hand() {
    this.port.postMessage(this.#piece, [this.#piece.buffer]);
    this.#piece = new Float32Array(PIECE);
    this.#length = 0;
  }
}

registerProcessor("capture", Capture);
