const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The pauses after the first failed attempts, in milliseconds; afterwards there is one attempt an hour. */
const pausesMs = [5 * second, 30 * second, 2 * minute, 10 * minute, hour] as const;
/** How long it is tried at all. */
const triedForMs = 24 * hour;

/**
 * When a step that needs the outside world (the authority, a mail server) is tried again.
 * @param attempts how many attempts have failed, at least 1.
 * @param since when the first try began.
 * @returns null when a day has passed: the work is dead-lettered.
 */
export function nextAttemptAt(attempts: number, since: Date, now: Date): Date | null {
  const next = new Date(now.getTime() + (pausesMs[attempts - 1] ?? hour));
  return next.getTime() - since.getTime() > triedForMs ? null : next;
}
