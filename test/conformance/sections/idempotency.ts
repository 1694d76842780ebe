import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CreatedDocument, revokeKey } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { utf8Header } from '../../harness/send.js';
import { expectRefusal, faultPathsOf } from '../error-table.js';
import { documentOf, newName, newTaxId, quote } from '../example-bodies.js';
import type { Answer, Issuer, Suite } from '../suite.js';

/** Rule 4.1 of section 4.4, and the decisions on idempotency. */
export function idempotency(suite: Suite): void {
  describe('4.4 rule 4.1 idempotency', () => {
    let issuer: Issuer;
    beforeAll(async () => {
      issuer = await suite.newIssuer();
    });
    afterAll(() => suite.stack.setMode('gotenberg', { delay_ms: 0 }));

    const expectReplay = (answer: Answer<unknown>, first: CreatedDocument) => {
      expect([answer.status, answer.headers['idempotent-replayed']]).toEqual([201, 'true']);
      expect(answer.body).toEqual(first);
    };
    const raw = (json: string) => ({ bytes: Buffer.from(json) });

    it('the first answer is no replay; the second is, with the same body, and issues nothing', async () => {
      const own = await suite.newIssuer();
      const idempotencyKey = randomUUID();
      const first = await suite.issue(own.key, quote(), idempotencyKey);
      expect([first.status, first.headers['idempotent-replayed']]).toEqual([201, undefined]);
      expectReplay(await suite.issue(own.key, quote(), idempotencyKey), first.body);
      expectReplay(await suite.issue(own.key, quote(), idempotencyKey), first.body);
      expect((await suite.me(own.key)).limits.used_today).toBe(1);
      expect((await suite.issued(own.key, quote())).number).toBe(first.body.number + 1);
    });

    it('decisions, Warnings: a document has the warnings of its preview, and a replay those of the first answer', async () => {
      const own = await suite.newIssuer();
      const invoice = await suite.issued(own.key, documentOf('tax_invoice'));
      const credit = documentOf('credit_note', { based_on: invoice.id });
      expect([invoice.warnings, (await suite.issued(own.key, credit)).warnings]).toEqual([[], []]);
      const preview = await suite.preview(own.key, credit);
      const idempotencyKey = randomUUID();
      const again = await suite.issued(own.key, credit, idempotencyKey);
      expect(again.warnings.map(({ code }) => code)).toEqual(['source_overcredited']);
      expect(again.warnings).toEqual(preview.body.warnings);
      await suite.issued(own.key, credit);
      expectReplay(await suite.issue(own.key, credit, idempotencyKey), again);
    });

    it('another key and the same body issue another document', async () => {
      const [one, other] = [await suite.issued(issuer.key, quote()), await suite.issued(issuer.key, quote())];
      expect(one.id).not.toBe(other.id);
    });

    it('the same key and a different body are idempotency_key_reused', async () => {
      const idempotencyKey = randomUUID();
      const body = quote({ items: [{ description: 'א', quantity: 1, unit_price: 1 }], send: true });
      await suite.issued(issuer.key, body, idempotencyKey);
      const others: object[] = [
        { ...body, notes: 'ב' },
        { ...body, send: undefined },
        { ...body, type: 'order' },
        { ...body, items: [{ description: 'א', quantity: 2, unit_price: 1 }] },
        { ...body, items: [...body.items, ...body.items] },
        { ...body, customer: { name: 'לקוח לדוגמה ' } },
      ];
      for (const other of others) {
        expectRefusal(await suite.issue(issuer.key, other, idempotencyKey), 'idempotency_key_reused');
      }
    });

    it('decisions, Idempotency: the same JSON value is the same body, however it is written', async () => {
      const idempotencyKey = randomUUID();
      const body = {
        type: 'quote',
        customer: { name: 'לקוח לדוגמה', city: 'חיפה' },
        items: [{ description: 'שירות', quantity: 1, unit_price: 100, sku: 'a/b' }],
      };
      const first = await suite.issued(issuer.key, body, idempotencyKey);
      const written = [
        JSON.stringify(body, null, 4),
        '{"items":[{"sku":"a\\/b","unit_price":1e2,"quantity":1.0,"description":"\\u05e9ירות"}],"customer":{"city":"חיפה","name":"לקוח לדוגמה"},"type":"quote"}',
        ` \r\n\t${JSON.stringify(body).replaceAll(':', ' : ')}\n`,
      ];
      for (const json of written) {
        expectReplay(await suite.issue(issuer.key, undefined, idempotencyKey, raw(json)), first);
      }
    });

    it('decisions, Idempotency: the order of a list does matter', async () => {
      const idempotencyKey = randomUUID();
      const items = ['א', 'ב'].map((description) => ({ description, quantity: 1, unit_price: 1 }));
      await suite.issued(issuer.key, quote({ items }), idempotencyKey);
      const turned = await suite.issue(issuer.key, quote({ items: items.toReversed() }), idempotencyKey);
      expectRefusal(turned, 'idempotency_key_reused');
    });

    it('decisions, Idempotency: the key belongs to the business, whichever API key sends it', async () => {
      const other = await suite.newKey(issuer.business.id, { daily_documents: 0 });
      const idempotencyKey = randomUUID();
      const first = await suite.issued(issuer.key, quote(), idempotencyKey);
      // A replay counts no document: it is answered where nothing may be issued any more.
      expectReplay(await suite.issue(other.key, quote(), idempotencyKey), first);
      expect((await suite.me(other.key)).limits.used_today).toBe(0);
      expectRefusal(
        await suite.issue(other.key, quote({ notes: 'ב' }), idempotencyKey),
        'idempotency_key_reused',
      );
    });

    it('decisions, Idempotency: of another business it is another key', async () => {
      const stranger = await suite.newIssuer();
      const idempotencyKey = randomUUID();
      const first = await suite.issued(issuer.key, quote(), idempotencyKey);
      const theirs = await suite.issue(stranger.key, quote({ notes: 'שלנו' }), idempotencyKey);
      expect([theirs.status, theirs.body.number]).toEqual([201, 1]);
      expect(theirs.body.id).not.toBe(first.id);
    });

    it('decisions, Repeated headers: a key that is sent twice is one key', async () => {
      const idempotencyKey = randomUUID();
      const first = await suite.issued(issuer.key, quote(), idempotencyKey);
      const twice = { headers: { 'idempotency-key': [idempotencyKey, idempotencyKey] } };
      expectReplay(await suite.issue(issuer.key, quote(), '', twice), first);
    });

    it.each([
      ['Idempotency-Key', ['a', 'b']],
      ['Idempotency-Key', ['a', '']],
      ['Content-Type', ['application/json', 'text/plain']],
      ['Content-Encoding', ['identity', 'gzip']],
    ])('decisions, Repeated headers: %s with the values %j is a validation_error', async (name, values) => {
      const answer = await suite.issue(issuer.key, quote(), randomUUID(), {
        headers: { [name.toLowerCase()]: values },
      });
      expect(faultPathsOf(answer)).toEqual([`/headers/${name}`]);
    });

    it('decisions, Repeated headers: white space but for blank and tab belongs to a key', async () => {
      const idempotencyKey = randomUUID();
      const first = await suite.issued(issuer.key, quote(), idempotencyKey);
      expectReplay(await suite.issue(issuer.key, quote(), `\t ${idempotencyKey} \t`), first);
      for (const other of ['\u00a0', utf8Header('\u3000'), utf8Header('\ufeff')]) {
        const { status, body } = await suite.issue(issuer.key, quote(), `${other}${idempotencyKey}`);
        expect([status, body.id === first.id]).toEqual([201, false]);
      }
    });

    it('decisions, Idempotency: keys are distinguished by every character', async () => {
      const idempotencyKey = `k-${randomUUID()}`;
      const first = await suite.issued(issuer.key, quote(), idempotencyKey);
      const upper = await suite.issued(issuer.key, quote(), idempotencyKey.toUpperCase());
      expect(upper.id).not.toBe(first.id);
    });

    it('decisions, Idempotency: a refused request may be sent again with its key, changed or not', async () => {
      const idempotencyKey = randomUUID();
      const wrong = quote({ expected_total: 1 });
      expectRefusal(await suite.issue(issuer.key, wrong, idempotencyKey), 'total_mismatch');
      expectRefusal(await suite.issue(issuer.key, wrong, idempotencyKey), 'total_mismatch');
      expectRefusal(await suite.issue(issuer.key, { type: 'quote' }, idempotencyKey), 'validation_error');
      const right = await suite.issue(issuer.key, quote({ expected_total: 118 }), idempotencyKey);
      expect([right.status, right.headers['idempotent-replayed']]).toEqual([201, undefined]);
    });

    it('decisions, Idempotency: a key is remembered also for the API key that was revoked in between', async () => {
      const revoked = await suite.newKey(issuer.business.id);
      const idempotencyKey = randomUUID();
      const first = await suite.issued(revoked.key, quote(), idempotencyKey);
      await suite.callContract(revokeKey, { key_id: revoked.id });
      expectRefusal(await suite.issue(revoked.key, quote(), idempotencyKey), 'key_revoked');
      expectReplay(await suite.issue(issuer.key, quote(), idempotencyKey), first);
    });

    describe('a replay answers what the creation answered, whatever has happened since', () => {
      it('the invoice was closed by a receipt', async () => {
        const idempotencyKey = randomUUID();
        const body = documentOf('tax_invoice');
        const first = await suite.issued(issuer.key, body, idempotencyKey);
        await suite.issued(issuer.key, documentOf('receipt', { based_on: first.id }));
        expect(await suite.read(issuer.key, first.id)).toMatchObject({
          status: 'closed',
          totals: { paid: 100 },
        });
        expect([first.status, first.totals.paid]).toEqual(['open', 0]);
        expectReplay(await suite.issue(issuer.key, body, idempotencyKey), first);
      });

      it('the quote was cancelled', async () => {
        const idempotencyKey = randomUUID();
        const first = await suite.issued(issuer.key, quote(), idempotencyKey);
        expect((await suite.cancel(issuer.key, first.id)).status).toBe(200);
        expectReplay(await suite.issue(issuer.key, quote(), idempotencyKey), first);
      });

      it('its source was cancelled', async () => {
        const source = await suite.issued(issuer.key, quote());
        const idempotencyKey = randomUUID();
        const body = documentOf('order', { based_on: source.id });
        const first = await suite.issued(issuer.key, body, idempotencyKey);
        expect((await suite.cancel(issuer.key, source.id)).status).toBe(200);
        expectReplay(await suite.issue(issuer.key, body, idempotencyKey), first);
      });

      it('the customer card has learned more, and the business has other settings', async () => {
        const own = await suite.newIssuer();
        const idempotencyKey = randomUUID();
        const customer = { name: newName() };
        const first = await suite.issued(own.key, quote({ customer }), idempotencyKey);
        await suite.issued(own.key, quote({ customer: { ...customer, tax_id: newTaxId() } }));
        await suite.change(own, { vat_rate: 17, prices_include_vat: true, name: 'עסק לדוגמה אחר' });
        expectReplay(await suite.issue(own.key, quote({ customer }), idempotencyKey), first);
      });

      it('later documents have later dates', async () => {
        const own = await suite.newIssuer();
        const idempotencyKey = randomUUID();
        const body = quote({ date: '2026-03-10' });
        const first = await suite.issued(own.key, body, idempotencyKey);
        await suite.issued(own.key, quote({ date: '2026-03-12' }));
        expectReplay(await suite.issue(own.key, body, idempotencyKey), first);
      });
    });

    it('a request with the key of one in flight is request_in_progress, whatever its body; later it is a replay', async () => {
      const own = await suite.newIssuer({ legal_type: 'amuta' });
      const idempotencyKey = randomUUID();
      await suite.stack.setMode('gotenberg', { hang: true });
      const first = suite.issue(own.key, quote(), idempotencyKey);
      await eventually('the first is being rendered', async () => {
        const { in_flight } = await suite.stack.calls<{ in_flight: number }>('gotenberg');
        return in_flight > 0;
      });
      const [same, other, forbidden] = await Promise.all([
        suite.issue(own.key, quote(), idempotencyKey),
        suite.issue(own.key, quote({ notes: 'ב' }), idempotencyKey),
        suite.issue(own.key, documentOf('tax_invoice'), idempotencyKey),
      ]);
      for (const answer of [same, other, forbidden]) {
        expectRefusal(answer, 'request_in_progress');
      }
      await suite.stack.setMode('gotenberg', { hang: false });
      const { status, body } = await first;
      expect(status).toBe(201);
      expectReplay(await suite.issue(own.key, quote(), idempotencyKey), body);
    });

    it('one of twenty equal concurrent requests issues; the others replay it or are request_in_progress', async () => {
      const own = await suite.newIssuer();
      const idempotencyKey = randomUUID();
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => suite.issue(own.key, quote(), idempotencyKey)),
      );
      const first = answers.filter(
        ({ status, headers }) => status === 201 && !headers['idempotent-replayed'],
      );
      expect(first).toHaveLength(1);
      for (const answer of answers.filter((item) => item !== first[0])) {
        if (answer.status === 201) {
          expectReplay(answer, (first[0] as Answer<CreatedDocument>).body);
        } else {
          expectRefusal(answer, 'request_in_progress');
        }
      }
      expect((await suite.me(own.key)).limits.used_today).toBe(1);
    });
  });
}
