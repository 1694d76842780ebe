import type { ServerResponse } from 'node:http';

/** An error that a handler of HTTP requests throws: the status and the text that the caller gets. */
export class HttpError extends Error {
  override readonly name = 'HttpError';

  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Answers with a complete body. Does nothing when the caller is gone. */
export function send(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: Buffer,
  headers: Record<string, string> = {},
): void {
  if (response.destroyed || response.headersSent) {
    return;
  }
  response.writeHead(status, { 'content-type': contentType, 'content-length': body.length, ...headers });
  response.end(body);
}
