import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isUuid } from '@pinkas/contracts';

/** Names and values in turn, as they came: what reads them decides what a repeated line means. */
type WithHeaders = Pick<IncomingMessage, 'rawHeaders'>;

/** The headers that have one value, besides those of a credential. Where their lines differ, the request is refused. */
export const singleHeaders = ['Idempotency-Key', 'Content-Type', 'Content-Encoding', 'Host'] as const;

/**
 * The value of a header that has one; empty where there is none. Lines that are equal count once: a proxy that retries may add one.
 * @returns undefined where lines differ: another reader of the request may have taken the other one.
 */
export function headerOf(request: WithHeaders, name: string): string | undefined {
  const [value = '', ...others] = linesOf(request, name);
  return others.every((other) => other === value) ? value : undefined;
}

/** The value of a header that is a list, from all of its lines (RFC 9110, section 5.3). */
export function listHeaderOf(request: WithHeaders, name: string): string {
  return linesOf(request, name).join(', ');
}

/** The lines of a header. Node has removed blanks and tabs around each, which are no part of it (RFC 9110, section 5.5). */
function linesOf({ rawHeaders }: WithHeaders, name: string): string[] {
  const lowerCase = name.toLowerCase();
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === lowerCase,
  );
}

/**
 * The API key in the headers of a request: the bearer token, X-Api-Key, or both where they are equal. Empty where there is none,
 * and where lines differ. Basic credentials are those of a proxy in front, and none here.
 */
export function apiKeyOf(request: WithHeaders): string {
  const [authorization, apiKey] = [headerOf(request, 'authorization'), headerOf(request, 'x-api-key')];
  if (authorization === undefined || apiKey === undefined) {
    return '';
  }
  if (authorization === '' || /^basic( |$)/i.test(authorization)) {
    return apiKey;
  }
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  return apiKey === '' || apiKey === token ? (token ?? '') : '';
}

/** The caller's X-Request-Id where it is a UUID, else a new one. */
export function requestIdOf(request: WithHeaders): string {
  const own = headerOf(request, 'x-request-id');
  return own !== undefined && isUuid(own) ? own : randomUUID();
}
