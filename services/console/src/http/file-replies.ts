import { byteOrderMark } from '@pinkas/exports';
import type { PageReply } from './console-page.js';
import { downloadHeaders } from './page-headers.js';

const headersOf = (name: string, mediaType: string) => ({
  ...downloadHeaders,
  'content-type': mediaType,
  'content-disposition': `attachment; filename="${name}"`,
});

/** A PDF for one person. @param name ASCII. */
export function pdfFile(name: string, body: Buffer): PageReply {
  return { kind: 'file', headers: headersOf(name, 'application/pdf'), body };
}

/** A zip for one person, which is made while it is sent. @param name ASCII. */
export function zipFile(name: string, body: AsyncIterable<Buffer>): PageReply {
  return { kind: 'file', headers: headersOf(name, 'application/zip'), body };
}

/** A table for one person, in parts. The first is made before the reply begins: its failure has a page. @param name ASCII. */
export async function csvFile(
  name: string,
  parts: AsyncIterable<string> | readonly string[],
): Promise<PageReply> {
  const body = bytesOf(parts);
  const first = await body.next();
  return {
    kind: 'file',
    headers: headersOf(name, 'text/csv; charset=utf-8'),
    body: first.done ? body : withFirst(first.value, body),
  };
}

async function* bytesOf(parts: AsyncIterable<string> | readonly string[]): AsyncGenerator<Buffer> {
  let mark: string = byteOrderMark;
  for await (const part of parts) {
    yield Buffer.from(mark + part);
    mark = '';
  }
}

async function* withFirst(first: Buffer, others: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* others;
}
