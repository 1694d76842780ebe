import { headerOf, type Incoming } from './incoming.js';

/** The API key of a request: the bearer token, else X-Api-Key; empty where there is none. */
export function presentedKey(incoming: Incoming): string {
  const bearer = /^bearer +(\S+) *$/i.exec(headerOf(incoming, 'authorization'))?.[1];
  return bearer ?? headerOf(incoming, 'x-api-key').trim();
}
