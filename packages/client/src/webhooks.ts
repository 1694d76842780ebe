import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { PinkasEvent } from './types.js';

export { WebhookVerificationError };

/** The headers of a request: those of `fetch`, or of Node. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies a webhook and returns its event. Types that this version does not know are passed through.
 * @param body as it arrived: bytes or text, not what a parser has made of it.
 * @param secret of the endpoint, `whsec_…`. While it is rotated, either of the two.
 * @throws WebhookVerificationError where the signature is another, or the webhook is older than five minutes.
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
): PinkasEvent {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  return new Webhook(secret).verify(text, {
    'webhook-id': headerOf(headers, 'webhook-id'),
    'webhook-timestamp': headerOf(headers, 'webhook-timestamp'),
    'webhook-signature': headerOf(headers, 'webhook-signature'),
  }) as PinkasEvent;
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  return typeof value === 'string' ? value : (value?.join(' ') ?? '');
}
