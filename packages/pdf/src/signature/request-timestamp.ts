import { createHash, randomBytes } from 'node:crypto';
import { fetchBytes } from './fetch-bytes.js';
import { encodeTimestampRequest, readTimestampReply } from './timestamp-token.js';

/** A token with a long chain has a tenth of it. */
const replyBytesMax = 64 * 1024;

/**
 * Requests a time-stamp of a signature from an authority over HTTP (RFC 3161, 3.4).
 * @param options `now`: the time when the reply is read, with which that of the time-stamp is compared.
 * @returns the token of id-aa-signatureTimeStampToken.
 * @throws Error without a valid token in time.
 */
export async function requestTimestamp(
  url: string,
  signatureValue: Buffer,
  { timeoutMs, now }: { timeoutMs: number; now: () => Date },
): Promise<Buffer> {
  const nonce = randomBytes(8);
  // Neither zero nor negative: some authorities read it as a signed number.
  nonce[0] = ((nonce[0] ?? 0) & 0x7f) | 0x40;
  const request = { imprint: createHash('sha256').update(signatureValue).digest(), nonce };
  const reply = await fetchBytes(
    'the time-stamp authority',
    url,
    {
      method: 'POST',
      headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
      body: new Uint8Array(encodeTimestampRequest(request)),
    },
    { bytesMax: replyBytesMax, signal: AbortSignal.timeout(Math.max(1, Math.floor(timeoutMs))) },
  );
  return readTimestampReply(reply, request, now());
}
