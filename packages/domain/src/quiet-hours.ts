const minuteMs = 60_000;
const dayMinutes = 24 * 60;
/** The most by which the wall clock runs ahead of real time in a night: the hour skipped when summer time begins. */
const skipMinutes = 60;

const israelTime = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Asia/Jerusalem',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/**
 * The end of the quiet hours that an instant lies in, as an instant: the first one from then on at which the wall clock in
 * Israel shows a time outside of them. Where summer time skips the end, that is the moment of the change; where it comes
 * twice, the first time that is not quiet. Where the start comes twice, the minutes between do not end what has begun.
 * @param quietHours `HH:MM-HH:MM`, Israel time; the start is quiet, the end is not; may pass midnight. A range whose start
 * is its end is empty.
 * @returns null when the instant is not quiet.
 */
export function quietUntil(quietHours: string, instant: Date): Date | null {
  const [start = '', end = ''] = quietHours.split('-');
  const from = minutesOf(start);
  const length = (minutesOf(end) - from + dayMinutes) % dayMinutes;
  /** How many minutes of quiet the wall clock still has to go; 0 outside. */
  const remaining = (time: number): number => {
    const into = (minutesOf(israelTime.format(time)) - from + dayMinutes) % dayMinutes;
    return into < length ? length - into : 0;
  };
  let time = Math.floor(instant.getTime() / minuteMs) * minuteMs;
  let left = remaining(time);
  if (left === 0) {
    return null;
  }
  // Long steps cannot jump over the end, since the wall clock gains at most the skipped hour on them.
  while (left > 0) {
    time += Math.max(left - skipMinutes, 1) * minuteMs;
    left = remaining(time);
  }
  return new Date(time);
}

/**
 * Until when a message must not leave, if it may not now. The accountant's copy knows no quiet hours.
 * @param quietHours of the business; null where it has none.
 */
export function heldUntil(
  purpose: 'customer' | 'accountant',
  quietHours: string | null,
  instant: Date,
): Date | null {
  return purpose === 'customer' && quietHours !== null ? quietUntil(quietHours, instant) : null;
}
