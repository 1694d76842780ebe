import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectRefusal, faultPathsOf } from '../error-table.js';
import { plainType, quote } from '../example-bodies.js';
import type { CallOptions, Issuer, Suite } from '../suite.js';
import { answersTo } from '../tables.js';

export const bodyBytesMax = 262_144;

/** A valid body of exactly so many bytes: white space between members means nothing. */
function exactly(bytes: number): Buffer {
  const body = JSON.stringify(quote());
  return Buffer.from(`${body}${' '.repeat(bytes - Buffer.byteLength(body))}`);
}

const text = (json: string): CallOptions => ({ bytes: Buffer.from(json) });
const valid = JSON.stringify(quote());
const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;

/** Sections 1.3 and 8, and the decisions on strictness: what a body may be before any of its members is looked at. */
export function requestBodies(suite: Suite): void {
  describe('1.3 the body of a request', () => {
    let issuer: Issuer;
    let toCancel: string;
    beforeAll(async () => {
      issuer = await suite.newIssuer();
      toCancel = (await suite.issued(issuer.key, quote())).id;
    });

    const noJson: [string, CallOptions][] = [
      ['nothing', text('')],
      ['white space', text('  \n')],
      ['half of an object', text('{"type":"quote"')],
      ['an object and a half', text(`${valid}{`)],
      ['single quotes', text("{'type':'quote'}")],
      ['a trailing comma', text(`${valid.slice(0, -1)},}`)],
      ['a comment', text(`/* quote */${valid}`)],
      ['NaN', text(valid.replace('100', 'NaN'))],
      ['a number with a leading zero', text(valid.replace('100', '0100'))],
      ['a raw line break in a string', text(valid.replace('שירות', 'שי\nרות'))],
      ['an array', text(`[${valid}]`)],
      ['a string', text('"quote"')],
      ['a number', text('17')],
      ['true', text('true')],
      ['null', text('null')],
      ['bytes that are not UTF-8', { bytes: Buffer.from(valid, 'latin1') }],
      [
        'a surrogate pair in UTF-8',
        { bytes: Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0xbd, 0x22, 0x3a, 0x31, 0x7d]) },
      ],
      ['UTF-16', { bytes: Buffer.from(`\ufeff${valid}`, 'utf16le') }],
      ['a repeated member', text(valid.replace('"type"', '"type":"order","type"'))],
      ['a repeated nested member', text(valid.replace('"name"', '"name":"ב","n\\u0061me"'))],
      ['deeper than any document', text(`{"type":${nested(5_000)}}`)],
      ['no content type', { bytes: Buffer.from(valid), headers: { 'content-type': undefined } }],
      ['an empty content type', { bytes: Buffer.from(valid), headers: { 'content-type': '' } }],
      [
        'a form',
        { bytes: Buffer.from(valid), headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      ],
      ['plain text', { bytes: Buffer.from(valid), headers: { 'content-type': 'text/plain' } }],
      [
        'another kind of JSON',
        { bytes: Buffer.from(valid), headers: { 'content-type': 'application/ld+json' } },
      ],
      [
        'another character set',
        { bytes: Buffer.from(valid), headers: { 'content-type': 'application/json; charset=iso-8859-8' } },
      ],
    ];
    const refused = answersTo(noJson, ([, options]) =>
      suite.issue(issuer.key, undefined, randomUUID(), options),
    );
    it.each(noJson.map((entry) => [entry[0], entry] as const))(
      '4.4 invalid_json: %s is no JSON object in UTF-8',
      (_what, entry) => expectRefusal(refused(entry), 'invalid_json'),
    );

    const cancelBodies = noJson.filter(([what]) => !['nothing', 'white space'].includes(what));
    const refusedToCancel = answersTo(cancelBodies, ([, { bytes, headers }]) =>
      suite.call(issuer.key, 'POST', `/documents/${toCancel}/cancel`, {
        ...(bytes === undefined ? {} : { bytes }),
        ...(headers === undefined ? {} : { headers }),
      }),
    );
    it('4.7 a body of a cancel request that is no JSON object is invalid_json as well', () => {
      for (const one of cancelBodies) {
        expect([one[0], refusedToCancel(one).body.error?.code]).toEqual([one[0], 'invalid_json']);
      }
    });

    it.each<[cause: string, CallOptions]>([
      ['it is empty.', text('')],
      ['it is not JSON.', text('{')],
      ['it is JSON, but not an object.', text('[]')],
      ['it has the member "type" twice.', text(valid.replace('"type"', '"type":"order","type"'))],
      ['it is nested too deeply.', text(`{"type":${nested(40)}}`)],
      ['its bytes are not UTF-8.', { bytes: Buffer.from(valid, 'latin1') }],
      ['its Content-Type is not application/json.', { headers: { 'content-type': 'text/json' } }],
      [
        'its Content-Type names another encoding than UTF-8.',
        { headers: { 'content-type': 'application/json;charset=utf-16' } },
      ],
      [
        'it has a Content-Encoding or a Transfer-Encoding, such as gzip; send it uncompressed.',
        { headers: { 'content-encoding': 'gzip' } },
      ],
    ])('decisions, Media types: the message of invalid_json states that %s', async (cause, options) => {
      const answer = await suite.issue(issuer.key, undefined, randomUUID(), { ...text(valid), ...options });
      expectRefusal(answer, 'invalid_json');
      expect(answer.body.error.message).toBe(`The body is not a JSON object in UTF-8: ${cause}`);
    });

    const goodTypes = [
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset=utf8',
      'application/json; version=1; charset=utf-8;',
      'application/json;charset=UTF-8',
      'Application/JSON; charset="utf-8"',
    ];
    const accepted = answersTo(goodTypes, (contentType, index) =>
      suite.issue(issuer.key, quote({ type: plainType(index) }), randomUUID(), {
        headers: { 'content-type': contentType },
      }),
    );
    it.each(goodTypes)('4.4 the content type %s is JSON in UTF-8', (contentType) =>
      expect(accepted(contentType).status).toBe(201),
    );
  });

  describe('8 the size of a body', () => {
    let issuer: Issuer;
    beforeAll(async () => {
      issuer = await suite.newIssuer();
    });
    const post = (bytes: Buffer | Buffer[]) => suite.issue(issuer.key, undefined, randomUUID(), { bytes });
    const halves = (whole: Buffer) => [whole.subarray(0, 100_000), whole.subarray(100_000)];

    it('262,144 bytes are accepted, with a length or in pieces without one', async () => {
      expect((await post(exactly(bodyBytesMax))).status).toBe(201);
      expect((await post(halves(exactly(bodyBytesMax)))).status).toBe(201);
    });

    it('one byte more is payload_too_large, with a length or in pieces', async () => {
      expectRefusal(await post(exactly(bodyBytesMax + 1)), 'payload_too_large');
      expectRefusal(await post(halves(exactly(bodyBytesMax + 1))), 'payload_too_large');
    });

    it('bytes count, not characters', async () => {
      const bytes = Buffer.from(JSON.stringify({ notes: 'א'.repeat(bodyBytesMax / 2) }));
      expectRefusal(await post(bytes), 'payload_too_large');
      const fewer = Buffer.from(JSON.stringify({ notes: 'א'.repeat(bodyBytesMax / 2 - 100) }));
      expect(faultPathsOf(await post(fewer))).toContain('/notes');
    });

    it('decisions, Strictness: every fault of the longest document is named, and 1,000 of any body', async () => {
      const item = { description: '', quantity: 1.00001, unit_price: -1, sku: 'x'.repeat(65) };
      const items = Array.from({ length: 100 }, () => item);
      const answer = await suite.issue(issuer.key, quote({ items }), randomUUID());
      expect(faultPathsOf(answer).toSorted()).toEqual(
        items
          .flatMap((_, index) => Object.keys(item).map((member) => `/items/${index}/${member}`))
          .toSorted(),
      );
      const unknown = Object.fromEntries(
        Array.from({ length: 3_000 }, (_, index) => [`unknown_${index}`, 1]),
      );
      expect(faultPathsOf(await suite.issue(issuer.key, quote(unknown), randomUUID()))).toHaveLength(1_000);
    });

    it('a cancel request has the same limit', async () => {
      const { id } = await suite.issued(issuer.key, quote());
      const cancel = (bytes: number) =>
        suite.call(issuer.key, 'POST', `/documents/${id}/cancel`, {
          bytes: Buffer.from(`{}${' '.repeat(bytes - 2)}`),
        });
      expectRefusal(await cancel(bodyBytesMax + 1), 'payload_too_large');
      expect((await cancel(bodyBytesMax)).status).toBe(200);
    });
  });
}
