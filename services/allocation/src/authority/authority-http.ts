/** More than any answer of the authority that we know. */
const answerBytesMax = 64 * 1024;

/** What came back, whatever its status. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/**
 * One call with Node's own fetch. Redirects are not followed, and no more than 64 KB are read.
 * @param signal ends it, also while the body is being read.
 * @throws Error when the authority cannot be reached, the signal ends it, or the answer is too long.
 */
export async function callAuthority(
  url: string,
  request: { method: 'GET' | 'POST'; headers: Record<string, string>; body?: string },
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const response = await fetch(url, {
    ...request,
    redirect: 'manual',
    signal,
  });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop cancels the body, and with it the connection.
    if (bytes > answerBytesMax) throw new Error(`the answer is longer than ${answerBytesMax} bytes`);
    chunks.push(chunk);
  }
  // PostgreSQL keeps no NUL; none belongs into JSON either.
  const body = Buffer.concat(chunks).toString('utf8').replaceAll('\0', '');
  return { status: response.status, headers: response.headers, body };
}
