const clockInIsrael = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'Asia/Jerusalem',
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** What the clock on the wall in Israel shows at an instant. */
function wallClock(instant: Date): Record<string, string> {
  return Object.fromEntries(clockInIsrael.formatToParts(instant).map(({ type, value }) => [type, value]));
}

/** The day in Israel now, or so many days later, YYYY-MM-DD. */
export function dayInIsrael(daysLater = 0): string {
  const { year, month, day } = wallClock(new Date());
  return addDays(`${year}-${month}-${day}`, daysLater);
}

/** The day so many days after another. */
export function addDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/** The time of day in Israel so many minutes from now, HH:MM. */
export function timeInIsrael(minutesLater = 0): string {
  const { hour, minute } = wallClock(new Date(Date.now() + minutesLater * 60_000));
  return `${hour}:${minute}`;
}

/** How far the wall clock in Israel is ahead of UTC at an instant, in milliseconds. */
function offsetMs(instant: Date): number {
  const { year, month, day, hour, minute, second } = wallClock(instant);
  const wall = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  return wall - Math.floor(instant.getTime() / 1000) * 1000;
}

/** The seconds until the next day begins in Israel. */
export function secondsToMidnight(): number {
  const wallMidnight = Date.parse(`${dayInIsrael(1)}T00:00:00Z`);
  // The offset at midnight itself: summer time may begin or end before it.
  const guess = wallMidnight - offsetMs(new Date());
  return (wallMidnight - offsetMs(new Date(guess)) - Date.now()) / 1000;
}
