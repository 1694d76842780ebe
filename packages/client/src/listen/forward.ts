import { createHmac } from 'node:crypto';
import type { PinkasEvent } from '../types.js';

/** As long as Pinkas waits for an endpoint. */
const answerWithinMs = 10_000;
/** How much of the answer of a program is quoted. */
const quotedMax = 200;

/** What came of posting an event. */
export interface Forwarded {
  /** Null where there was no answer. */
  readonly status: number | null;
  readonly ms: number;
  /** Why it counts as failed; null where it was received. */
  readonly reason: string | null;
}

/**
 * Posts an event as Pinkas posts a webhook: the same body and headers, any 2xx within ten seconds is received, and a redirect is a
 * failure. Never rejects.
 */
export async function forward(
  target: URL,
  event: PinkasEvent,
  secret: string,
  signal: AbortSignal,
): Promise<Forwarded> {
  const body = JSON.stringify(event);
  const startedMs = performance.now();
  const done = (status: number | null, reason: string | null): Forwarded => ({
    status,
    ms: Math.round(performance.now() - startedMs),
    reason,
  });
  const timeout = AbortSignal.timeout(answerWithinMs);
  try {
    const response = await fetch(target, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Pinkas (listen)',
        ...signed(event.id, body, secret),
      },
      body,
      signal: AbortSignal.any([signal, timeout]),
    });
    const quoted = await start(response);
    const where = response.headers.get('location');
    const why = response.status >= 300 && response.status < 400 && where ? `a redirect to ${where}` : quoted;
    return done(response.status, response.ok ? null : why);
  } catch (error) {
    return done(
      null,
      timeout.aborted ? `no answer within ${answerWithinMs / 1_000} s` : noAnswer(error, target),
    );
  }
}

/** The headers of Standard Webhooks: an HMAC-SHA256 over id, time and body by the bytes of the secret. */
function signed(id: string, body: string, secret: string): Record<string, string> {
  const seconds = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(`${id}.${seconds}.${body}`)
    .digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` };
}

/** The start of an answer on one line; the rest of it is not read. */
async function start(response: Response): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (reader && text.length < quotedMax) {
    const { done, value } = await reader.read();
    if (done) {
      break;
    }
    text += value;
  }
  await reader?.cancel().catch(() => undefined);
  return printable(text.slice(0, quotedMax));
}

function noAnswer(error: unknown, target: URL): string {
  const { cause } = error as { cause?: { code?: unknown; message?: unknown } };
  if (cause?.code === 'ECONNREFUSED') {
    return `nothing listens at ${target.host}`;
  }
  return printable(String(cause?.message ?? error));
}

/** A text of a stranger for a terminal: on one line, without what would move the cursor or change colors. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
