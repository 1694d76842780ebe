import { METHODS } from 'node:http';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { text } from './arbitrary-of.js';

/** A header as it is on the wire: a character is a byte. */
export type Header = readonly [name: string, value: string];

/** The bytes of a value as Latin-1, so that it can be in a request that is written as text. */
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** What may be in the value of a header: no control character beside the tab. */
const headerValue = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 140 }),
  fc
    .array(
      fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }), fc.constant(0x09)),
      { maxLength: 140 },
    )
    .map((bytes) => latin1(Uint8Array.from(bytes))),
  fc
    .array(fc.constantFrom('א', 'é', '😀', 'a'), { maxLength: 140 })
    .map((all) => latin1(Buffer.from(all.join('')))),
);

/** The Idempotency-Key of a request: odd bytes, lengths around the longest, nothing at all. */
export const idempotencyKey = fc.oneof(
  headerValue,
  fc.constantFrom('', ' ', '\t', 'a'.repeat(128), 'a'.repeat(129), latin1(Buffer.from('א'.repeat(128)))),
  fc.constantFrom(latin1(Buffer.from('א'.repeat(129))), latin1(Buffer.from('😀'.repeat(129)))),
);

/** Headers that a request may have in addition to what it needs, with values that no one sends. */
export const strangeHeaders: fc.Arbitrary<Header[]> = fc.array(
  fc.oneof(
    fc.tuple(
      fc.constantFrom(
        'X-Request-Id',
        'X-Forwarded-For',
        'X-Forwarded-Host',
        'X-HTTP-Method-Override',
        'Forwarded',
        'Accept',
        'Accept-Encoding',
        'Accept-Language',
        'Accept-Version',
        'Cookie',
        'Origin',
        'Range',
        'If-Match',
        'If-None-Match',
        'If-Modified-Since',
        'Content-Type',
        'Idempotency-Key',
        'X-Api-Key',
        'Traceparent',
        '__proto__',
        'constructor',
      ),
      headerValue,
    ),
    fc.constantFrom<Header>(
      ['Authorization', 'Basic eDp5'],
      ['Authorization', 'Bearer'],
      ['Expect', '100-continue'],
      ['Expect', 'the unexpected'],
      ['Upgrade', 'websocket'],
      ['Upgrade', 'h2c'],
      ['Connection', 'Upgrade'],
      ['Host', ''],
      ['Host', 'a b'],
      ['Content-Length', '-1'],
      ['Content-Length', '1, 1'],
      ['Transfer-Encoding', 'identity'],
      ['Transfer-Encoding', 'gzip, chunked'],
      ['X-Long', 'x'.repeat(20_000)],
    ),
  ),
  { minLength: 1, maxLength: 4 },
);

/** A content type that does not say JSON in UTF-8, or does. */
export const contentType = fc.oneof(
  { weight: 6, arbitrary: fc.constant('application/json') },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'application/json; charset=utf-8',
      'Application/JSON;charset="UTF-8"',
      'application/json; charset=iso-8859-8',
      'application/json; charset=utf-16',
      'application/jsonx',
      'text/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/gzip',
      'application/json, text/plain',
      '',
      ';',
    ),
  },
  { weight: 2, arbitrary: headerValue },
);

/** Whether a content type says JSON in UTF-8. */
export const saysJson = (type: string): boolean =>
  /^application\/json([ \t]*;[ \t]*charset=("utf-8"|utf-8))?$/i.test(type.trim());

/** Bytes that come instead of a JSON text, with what must be said of them. */
export interface Bytes {
  does: string;
  of: (json: string) => Buffer;
  encoding?: string;
}

/** Ways to send something else than a JSON text in UTF-8. */
export const bytes: fc.Arbitrary<Bytes> = fc.oneof(
  { weight: 3, arbitrary: fc.uint8Array({ maxLength: 300 }).map((item) => rubbish(Buffer.from(item))) },
  { weight: 1, arbitrary: text(0, 200).map((item) => rubbish(Buffer.from(item))) },
  { weight: 2, arbitrary: fc.json().map((item) => rubbish(Buffer.from(item))) },
  {
    weight: 3,
    arbitrary: fc.double({ min: 0, max: 0.999, noNaN: true }).map((share) => ({
      does: `the first ${Math.round(share * 100)} % of it`,
      of: (json: string) => {
        const whole = Buffer.from(json);
        return whole.subarray(0, Math.floor(whole.length * share));
      },
    })),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Bytes>(
      { does: 'as it is', of: (json) => Buffer.from(json) },
      { does: 'with a byte order mark', of: (json) => Buffer.from(`\ufeff${json}`) },
      { does: 'in UTF-16', of: (json) => Buffer.from(json, 'utf16le') },
      { does: 'with a byte that is not UTF-8', of: (json) => Buffer.from(json.replace('1', 'é'), 'latin1') },
      { does: 'packed', of: (json) => gzipSync(json), encoding: 'gzip' },
      { does: 'twice', of: (json) => Buffer.from(`${json}${json}`) },
      { does: 'in an array', of: (json) => Buffer.from(`[${json}]`) },
      { does: 'with a NUL at its end', of: (json) => Buffer.from(`${json}\0`) },
      { does: 'after much white space', of: (json) => Buffer.from(`${' \n'.repeat(50_000)}${json}`) },
      { does: 'beyond the limit', of: (json) => Buffer.from(json.padEnd(262_145)) },
      {
        does: 'at the limit',
        of: (json) => Buffer.from(`${json}${' '.repeat(262_144 - Buffer.byteLength(json))}`),
      },
    ),
  },
);

const rubbish = (item: Buffer): Bytes => ({ does: `instead: ${item.toString('base64')}`, of: () => item });

/** The name of a query parameter: one , or any. */
const parameter = fc.oneof(
  fc.constantFrom('type', 'from', 'to', 'external_ref', 'include_cancelled', 'limit', 'cursor', 'q'),
  fc.constantFrom('Type', '__proto__', 'constructor', 'type[]', 'filter[type]', '', ' ', 'a/b~c', 'page'),
  text(0, 20),
);
const parameterValue = fc.oneof(
  fc.constantFrom(
    'quote',
    '2026-01-01',
    '2026-13-01',
    'true',
    'false',
    'TRUE',
    '1',
    '0',
    '-1',
    '101',
    '1e2',
    '1.5',
  ),
  fc.constantFrom(
    '',
    ' ',
    'null',
    '%',
    '%_',
    "' or 1=1 --",
    '\0',
    '\ud7ff',
    '[]',
    '{"a":1}',
    'a'.repeat(600),
  ),
  text(0, 80),
);

/** A query: well written pairs, or nothing of the kind. */
export const query = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .array(fc.tuple(parameter, parameterValue), { minLength: 1, maxLength: 4 })
      .map((pairs) => new URLSearchParams(pairs).toString()),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '&&',
      '=',
      '?',
      '%',
      '%zz=%',
      'type=%FF',
      '%00=%00',
      'limit',
      'limit=%',
      '+=+',
      'a=1#b',
    ),
  },
);

/** What is in a path where an id should. */
export const pathId = fc.oneof(
  fc.uuid(),
  text(0, 60)
    .filter((item) => !['.', '..'].includes(item))
    .map(encodeURIComponent),
  fc.constantFrom(
    '%',
    '%zz',
    '%00',
    '%FF',
    '%2e%2e',
    '..',
    '.',
    '*',
    ':id',
    '__proto__',
    "1'--",
    'a'.repeat(9_000),
  ),
  fc.uuid().map((id) => `${id}%00`),
  fc.uuid().map((id) => `{${id}}`),
  fc.uuid().map((id) => id.replaceAll('-', '')),
);

/** Methods of HTTP and of its neighbours, and such as no one has. */
export const method = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...METHODS) },
  { weight: 1, arbitrary: fc.stringMatching(/^[A-Z]{1,12}$/) },
  { weight: 1, arbitrary: fc.constantFrom('get', 'Post', 'GET,POST', 'A'.repeat(200)) },
);

/** What a server may receive that is no request at all. */
export const noRequest: fc.Arbitrary<Buffer> = fc.oneof(
  fc.constantFrom(
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    Buffer.from('GET /v1/me\r\n\r\n'),
    Buffer.from('GET /v1/me HTTP/3.0\r\n\r\n'),
    Buffer.from('GET  /v1/me HTTP/1.1\r\nHost: a\r\n\r\n'),
    Buffer.from('GET /v1/me HTTP/1.1\r\n\r\n'),
    Buffer.from('GET /v1/me HTTP/1.1\r\nHost: a\r\nNo header\r\n\r\n'),
    Buffer.from('GET /v1/me HTTP/1.1\r\nHost: a\r\nA: b\0c\r\n\r\n'),
    Buffer.from('GET http://other.example/v1/me HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
    Buffer.from('OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
    Buffer.from('POST /v1/documents HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n'),
    Buffer.from('POST /v1/documents HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
    Buffer.from([0x16, 0x03, 0x01, 0x00, 0xa5, 0x01, 0x00, 0x00, 0xa1, 0x03, 0x03, 0x0d, 0x0a, 0x0d, 0x0a]),
  ),
  // An end of the head is appended, since a server may wait for it as long as it likes.
  fc
    .uint8Array({ minLength: 1, maxLength: 200 })
    .filter(([first]) => first !== 0x0d && first !== 0x0a)
    .map((item) => Buffer.concat([item, Buffer.from('\r\n\r\n')])),
);
