/** Longer than any deadline of the HTTP API, in ms: an answer that comes later is a broken promise. */
export const answerTimeoutMs = 35_000;

/** A limit of a key, in requests a minute or documents a day, that no test reaches unless it is about the limit. */
export const requestsMax = 1_000_000;
