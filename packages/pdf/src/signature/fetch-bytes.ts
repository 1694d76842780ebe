/** A server sent something other than the bytes that it was requested for. */
class UnusableReplyError extends Error {
  override readonly name = 'UnusableReplyError';
}

/**
 * A request to a server outside, with a reply of bounded size. A redirection is an error.
 * @param server names it in messages, such as `the time-stamp authority`.
 * @throws UnusableReplyError, or the error of `fetch`.
 */
export async function fetchBytes(
  server: string,
  url: string,
  request: Pick<RequestInit, 'method' | 'headers' | 'body'>,
  { bytesMax, signal }: { bytesMax: number; signal: AbortSignal },
): Promise<Buffer> {
  const reply = await fetch(url, { ...request, redirect: 'error', signal });
  if (!reply.ok) {
    await reply.body?.cancel();
    throw new UnusableReplyError(`${server} answered ${reply.status}`);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of reply.body ?? []) {
    length += chunk.length;
    if (length > bytesMax) {
      throw new UnusableReplyError(`the reply of ${server} is too large`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
