// One sound at a time, through an element that is never in the page.

/** A player around an `<audio>` element, such as `new Audio()`. */
export class Player {
  #element;
  #end = null;

  constructor(element) {
    this.#element = element;
    element.addEventListener("ended", () => this.#finish("ended"));
    element.addEventListener("error", () => this.#finish("broken"));
  }

  set volume(value) {
    this.#element.volume = value;
  }

  /** Play `url`; "ended", "broken", "stopped", or "blocked" when the browser wants a click first. */
  play(url) {
    this.#finish("stopped");
    return new Promise((end) => {
      this.#end = end;
      this.#element.src = url;
      this.#element.play().catch((error) => this.#refused(error, end));
    });
  }

  stop() {
    this.#element.pause();
    this.#finish("stopped");
  }

  pause() {
    this.#element.pause();
  }

  resume() {
    if (this.#end) this.#element.play().catch((error) => this.#refused(error, this.#end));
  }

  /** A pause cuts off the promise of `play` too, and is no refusal. */
  #refused(error, end) {
    if (this.#end !== end || error.name === "AbortError") return;
    this.#finish(error.name === "NotAllowedError" ? "blocked" : "broken");
  }

  #finish(outcome) {
    const end = this.#end;
    this.#end = null;
    end?.(outcome);
  }
}
