import { demoCustomer } from '@pinkas/testkit/examples';

/** A request that no honest caller sends. */
export interface HostileRequest {
  method: string;
  path: string;
  /** A header with several values is sent as so many lines. */
  headers: Record<string, string | string[]>;
  body: Buffer;
}

/** A generator of numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Values that no honest form has. */
export const hostileTexts = [
  '',
  ' ',
  '\u0000',
  '\u202eabc\u202c',
  '\ud800',
  '\uFFFF',
  'א'.repeat(5_000),
  'W'.repeat(100_000),
  '<script>alert(1)</script>',
  '{{constructor.constructor("return process")()}}',
  "'; drop table document; --",
  '%_\\',
  '../../../../etc/passwd',
  'a@b'.repeat(2_000),
  `${'0'.repeat(5_000)}!`,
  `${'('.repeat(500)}${')'.repeat(500)}`,
  '\r\nBcc: x@example.com',
  '2026-02-30',
  '2026-13-01T00:00:00Z',
  'NaN',
];

const hostileNumbers = [
  '-0',
  '1e400',
  '1e-7',
  '-1',
  '0.1',
  '1.00001',
  '9007199254740993',
  '1'.repeat(400),
  '0.000000000000000000000000000001',
  '99999999999999.99',
  '1E+2',
];

const hostileNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'number',
  'status',
  'vat_rate',
  '',
  ' ',
  'א',
];

const document = {
  type: 'tax_invoice',
  customer: demoCustomer,
  items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 100 }],
};

/** Draws hostile requests: bytes that are no JSON, JSON that is no document, documents with one bad value, odd headers and paths. */
export class HostileRequests {
  constructor(
    private readonly random: () => number,
    private readonly key: string,
  ) {}

  next(): HostileRequest {
    const body = this.#body();
    const headers: Record<string, string | string[]> = {
      'content-type': this.#mostly('application/json', [
        'text/plain',
        'application/json; charset=utf-16',
        '',
        'a/b;;;',
      ]),
      authorization: this.#mostly(`Bearer ${this.key}`, [
        'Bearer x',
        'Basic eDp4',
        'Bearer',
        `Bearer ${'k'.repeat(5_000)}`,
        this.key,
      ]),
      'idempotency-key': this.#mostly(`hostile-${Math.floor(this.random() * 1e12)}`, [
        '',
        ' ',
        'x'.repeat(129),
        '\u00ff',
        '"{}"',
      ]),
    };
    if (this.random() < 0.05) {
      headers['x-api-key'] = 'pk_live_other';
    }
    if (this.random() < 0.05) {
      headers['content-encoding'] = 'gzip';
    }
    if (this.random() < 0.1) {
      this.#repeat(headers);
    }
    return {
      method: this.#mostly('POST', ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']),
      path: this.#mostly('/documents', [
        '/documents/../me',
        `/documents/${this.#text(200)}/cancel`,
        '/documents?limit=1e9&cursor=%00',
        `/customers?q=${'%25'.repeat(200)}`,
        '/%ff%fe',
        '//documents',
        `/${'a'.repeat(4_000)}`,
      ]),
      headers,
      body,
    };
  }

  /** Sends a header in two lines, equal or not. */
  #repeat(headers: Record<string, string | string[]>): void {
    const name = this.#one(Object.keys(headers));
    const value = String(headers[name]);
    headers[name] = [value, this.#one([value, value.toLowerCase(), '', `${value}, ${value}`])];
  }

  #body(): Buffer {
    return this.#one<() => Buffer>([
      () => this.#bytes(),
      () => Buffer.from(this.#truncated()),
      () => Buffer.from(this.#nested()),
      () => Buffer.from(this.#withBadValue()),
      () => Buffer.from(this.#withBadValue()),
      () => Buffer.from(this.#withBadValue()),
      () => Buffer.from(this.#withBadMember()),
      () =>
        Buffer.from(this.#one(['[]', 'null', '17', '"x"', 'true', '{}', '{"a":1,"a":2}', '\ufeff{}', ' '])),
    ])();
  }

  #bytes(): Buffer {
    return Buffer.from(
      Array.from({ length: Math.floor(this.random() * 300) }, () => Math.floor(this.random() * 256)),
    );
  }

  #truncated(): string {
    const text = JSON.stringify(document);
    return text.slice(0, Math.floor(this.random() * text.length));
  }

  #nested(): string {
    const depth = Math.floor(this.random() * 20_000);
    const [open, close] = this.#one([
      ['[', ']'],
      ['{"a":', '}'],
    ] as const);
    return `${open.repeat(depth)}1${close.repeat(depth)}`;
  }

  /** A document of which one value is replaced. */
  #withBadValue(): string {
    const paths = [
      '"tax_invoice"',
      '"לקוח לדוגמה"',
      '"777777723"',
      '"customer@example.com"',
      '"שירות לדוגמה"',
      ':1,',
      ':100}',
    ] as const;
    const place = this.#one(paths);
    const value = this.#value();
    const replacement = place.startsWith(':') ? `:${value}${place.slice(-1)}` : value;
    return JSON.stringify(document).replace(place, () => replacement);
  }

  #withBadMember(): string {
    const text = JSON.stringify(document);
    const member = `${JSON.stringify(this.#one(hostileNames))}:${this.#value()},`;
    const places = [...text.matchAll(/\{/g)].map(({ index }) => index + 1);
    const at = this.#one(places);
    return text.slice(0, at) + member + text.slice(at);
  }

  #value(): string {
    return this.#one<() => string>([
      () => JSON.stringify(this.#one(hostileTexts)),
      () => this.#one(hostileNumbers),
      () => this.#one(['null', 'true', '[]', '{}', '[[]]', '{"a":{}}', '[1,2,3]']),
      () =>
        `[${Array.from({ length: Math.floor(this.random() * 150) }, () => JSON.stringify(document.items[0])).join(',')}]`,
    ])();
  }

  #text(lengthMax: number): string {
    return encodeURIComponent(
      String.fromCodePoint(
        ...Array.from(
          { length: Math.floor(this.random() * lengthMax) },
          () => 1 + Math.floor(this.random() * 0xd7fe),
        ),
      ),
    );
  }

  /** Nine times of ten the usual value. */
  #mostly(usual: string, others: readonly string[]): string {
    return this.random() < 0.9 ? usual : this.#one(others);
  }

  #one<T>(values: readonly T[]): T {
    const value = values[Math.floor(this.random() * values.length)];
    if (value === undefined) {
      throw new Error('nothing to choose from');
    }
    return value;
  }
}
