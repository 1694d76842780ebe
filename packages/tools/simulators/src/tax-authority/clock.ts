const daysIn = 86_400_000;

/** The simulator's clock, which tests may set: it goes on from there. */
export class Clock {
  #offsetMs = 0;

  now(): Date {
    return new Date(Date.now() + this.#offsetMs);
  }

  /** Whole seconds since 1970. */
  seconds(): number {
    return Math.floor(this.now().getTime() / 1_000);
  }

  /** The date in Israel. */
  today(): string {
    return new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Jerusalem' }).format(this.now());
  }

  /** How many days a date (YYYY-MM-DD) lies before today; negative when it is ahead. */
  daysSince(date: string): number {
    return Math.round((Date.parse(this.today()) - Date.parse(date)) / daysIn);
  }

  set(now: Date): void {
    this.#offsetMs = now.getTime() - Date.now();
  }

  advance(ms: number): void {
    this.#offsetMs += ms;
  }

  reset(): void {
    this.#offsetMs = 0;
  }
}
