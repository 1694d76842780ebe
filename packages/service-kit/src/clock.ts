/** The time as a value, so that a test can say what time it is. */
export interface Clock {
  now(): Date;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() };

const israelDay = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'Asia/Jerusalem',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** The day in Asia/Jerusalem at an instant, as YYYY-MM-DD. */
export function dayInIsrael(instant: Date): string {
  return israelDay.format(instant);
}
