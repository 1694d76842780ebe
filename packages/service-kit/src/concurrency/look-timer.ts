/** Into how many looks a wait is divided. */
const looksPerWait = 8;

/**
 * A timer for a verdict about others: calls `over` after so many milliseconds without `renew`, counted in looks of an eighth each.
 * Between two looks the event loop reads what has arrived. A process that got no processor time in between counts that as one
 * look, however long it lasted: its own pause is no silence of the others.
 */
export class LookTimer {
  readonly #timer: NodeJS.Timeout;
  #looks = 0;

  constructor(ms: number, over: () => void) {
    const look = () => {
      this.#looks += 1;
      if (this.#looks >= looksPerWait) {
        this.end();
        over();
      }
    };
    this.#timer = setInterval(look, Math.max(1, Math.ceil(ms / looksPerWait)));
  }

  /** Begins the wait again. Not after its end. */
  renew(): void {
    this.#looks = 0;
    this.#timer.refresh();
  }

  /** Lets the process end before the wait is over. */
  unref(): this {
    this.#timer.unref();
    return this;
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

/** Aborts like `AbortSignal.timeout`, which counts by the clock, but after looks: for requests to what is no service. */
export function timeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  const expire = () => controller.abort(new DOMException('the operation timed out', 'TimeoutError'));
  new LookTimer(ms, expire).unref();
  return controller.signal;
}
