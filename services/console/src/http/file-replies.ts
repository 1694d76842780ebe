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

/** A table for one person, row by row. @param name ASCII. */
export function csvFile(name: string, rows: AsyncIterable<string>): PageReply {
  return { kind: 'file', headers: headersOf(name, 'text/csv; charset=utf-8'), body: bytesOf(rows) };
}

async function* bytesOf(rows: AsyncIterable<string>): AsyncGenerator<Buffer> {
  yield Buffer.from(byteOrderMark);
  for await (const row of rows) {
    yield Buffer.from(row);
  }
}
