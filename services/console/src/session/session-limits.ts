const minuteMs = 60 * 1000;

/** How long a session, and each value of its cookie, is valid; in milliseconds. */
export const sessionLimitsMs = {
  /** After its last use. */
  idle: 120 * minuteMs,
  /** After the person signed in, however often it is used. */
  total: 720 * minuteMs,
  /** How often at most the time of its last use is stored. */
  touch: minuteMs,
  /** After which its cookie gets the next value. */
  rotate: 15 * minuteMs,
  /** After which a browser that did not receive the next value gets another one. */
  repeat: minuteMs,
  /** How much longer the former value is valid, for requests that were in flight when it changed. */
  grace: minuteMs,
  /** How long after its end a form that was loaded before is still known as that of its person. */
  remember: 1440 * minuteMs,
} as const;
