/** A pause that can be ended early. */
export class Pause {
  #end: (() => void) | undefined;

  /** Resolves after the time, or at the call of `end`. */
  async wait(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#end = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
    this.#end = undefined;
  }

  /** Ends the wait, where there is one. */
  end(): void {
    this.#end?.();
  }
}
