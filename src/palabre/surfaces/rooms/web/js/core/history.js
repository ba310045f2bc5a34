// What was typed before, walked with the arrows; the line being written waits at the end.

export const MAX_INPUTS = 100;

export class InputHistory {
  #inputs = [];
  #position = 0;
  #draft = "";

  /** Remember a sent line; the walk starts again from it. */
  add(input) {
    if (this.#inputs.at(-1) !== input) this.#inputs.push(input);
    this.#inputs = this.#inputs.slice(-MAX_INPUTS);
    this.#position = this.#inputs.length;
    this.#draft = "";
  }

  /** The line before, or null at the oldest. `current` is what the field holds now. */
  older(current) {
    if (this.#position === 0) return null;
    if (this.#position === this.#inputs.length) this.#draft = current;
    this.#position -= 1;
    return this.#inputs[this.#position];
  }

  /** The line after, the draft at the end, or null when there is nothing newer. */
  newer() {
    if (this.#position === this.#inputs.length) return null;
    this.#position += 1;
    return this.#inputs[this.#position] ?? this.#draft;
  }
}
