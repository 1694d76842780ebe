import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type PinkasClient, PinkasError } from '@pinkas/client';
import { verifyWebhook } from '@pinkas/client/webhooks';
import { eventually } from '@pinkas/testkit';
import { expectConsistentBook } from '../../harness/book.js';
import { npmSettings } from '../../harness/npm-settings.js';
import { type Issuer, invoice, type RunningStack } from '../../harness/running-stack.js';

export function client(system: () => RunningStack): void {
  describe('PinkasClient', () => {
    let stack: RunningStack;
    let issuer: Issuer;
    let client: PinkasClient;
    beforeAll(async () => {
      stack = system();
      issuer = await stack.newIssuer({ tax_authority_connected: true });
      client = await stack.client(issuer.key);
    });

    const refusalOf = (attempt: Promise<unknown>) =>
      attempt.then(
        () => undefined,
        (error: unknown) => error as PinkasError,
      );

    it('PinkasClient issues a document, reads it and finds its customer at once', async () => {
      const { document, replayed, idempotencyKey } = await client.createDocument(
        invoice(6000, { external_ref: 'order-17', customer: { name: 'לקוח חדש', tax_id: '777777749' } }),
      );
      expect(replayed).toBe(false);
      expect(document).toMatchObject({
        number: 1,
        totals: { total: 7080 },
        allocation: { status: 'issued' },
      });
      expect(await client.getDocument(document.id)).toMatchObject({
        number: document.number,
        allocation_number: document.allocation.number,
        items: [{ line_total: 6000 }],
      });
      expect((await client.searchCustomers({ q: 'לקוח חדש' })).data).toMatchObject([
        { id: document.customer.id, tax_id: '777777749' },
      ]);
      const byId = await client.createDocument(invoice(10, { customer: { id: document.customer.id ?? '' } }));
      expect(byId.document.customer).toEqual(document.customer);
      const again = await client.createDocument(
        invoice(6000, { external_ref: 'order-17', customer: { name: 'לקוח חדש', tax_id: '777777749' } }),
        { idempotencyKey },
      );
      expect(again).toMatchObject({ replayed: true, document: { id: document.id } });
    });

    it('PinkasClient reads the profile, the document types, the error codes and the OpenAPI document', async () => {
      expect((await client.getMe()).business.id).toBe(issuer.business.id);
      expect((await client.listDocumentTypes()).data).toHaveLength(10);
      expect((await client.listErrors()).data.map(({ code }) => code)).toContain('total_mismatch');
      expect((await client.getOpenApi()).openapi).toMatch(/^3\.1\./);
    });

    it('PinkasClient iterates over all pages of a list', async () => {
      const issued = [];
      for (const price of [1, 2, 3, 4, 5]) {
        issued.push((await client.createDocument(invoice(price, { type: 'quote' }))).document.number);
      }
      const listed = [];
      for await (const document of client.documents({ type: 'quote', limit: 2 })) {
        listed.push(document.number);
      }
      expect(listed).toEqual(issued.reverse());
    });

    it('PinkasClient cancels a quote and reports that an invoice needs a credit note', async () => {
      const { document: quote } = await client.createDocument(invoice(10, { type: 'quote' }));
      expect(await client.cancelDocument(quote.id, { reason: 'demo' })).toMatchObject({
        status: 'cancelled',
      });
      const { document: accounted } = await client.createDocument(invoice(10));
      const refusal = await refusalOf(client.cancelDocument(accounted.id));
      expect(refusal).toBeInstanceOf(PinkasError);
      expect(refusal).toMatchObject({ code: 'use_credit_note', status: 422, retryable: false });
    });

    it('PinkasClient reports a rejected request as an error with code and details', async () => {
      const refusal = await refusalOf(client.createDocument(invoice(100, { expected_total: 100 })));
      expect(refusal).toMatchObject({
        code: 'total_mismatch',
        details: { computed_total: 118 },
        outcomeUnknown: false,
      });
    });

    it('PinkasClient gets exactly one document although issuing is killed twice during the request', async () => {
      await stack.setMode('gotenberg', { delay_ms: 400 });
      const key = randomUUID();
      const issuing = client.createDocument(invoice(77, { type: 'proforma' }), { idempotencyKey: key });
      for (let kills = 0; kills < 2; kills += 1) {
        const before = await stack.pidOf('issuing');
        await stack.kill('issuing');
        await stack.awaitRestart('issuing', before);
      }
      await stack.setMode('gotenberg', { delay_ms: 0 });
      const { document } = await issuing;
      const { id, number, totals } = document;
      await expectConsistentBook(stack, issuer, 'proforma', [{ key, id, number, total: totals.total }]);
    });

    it('npx runs the client that the system serves, which posts an event to a program on this machine', async () => {
      const { base_url } = await stack.file();
      const received: { body: string; headers: Record<string, string | string[] | undefined> }[] = [];
      const receiver = createServer(async (request, response) => {
        let body = '';
        for await (const chunk of request.setEncoding('utf8')) {
          body += chunk;
        }
        received.push({ body, headers: request.headers });
        response.writeHead(204).end();
      });
      await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
      const { port } = receiver.address() as AddressInfo;
      const folder = await mkdtemp(join(tmpdir(), 'pinkas-listen-'));
      const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
      // What the documentation states, in a folder without a package, by a person without the repository.
      const child = spawn(
        'npx',
        [
          '--yes',
          '-p',
          new URL('/client.tgz', base_url).href,
          'pinkas-client',
          'listen',
          `http://localhost:${port}/hook`,
          '--yes',
        ],
        {
          cwd: folder,
          detached: true,
          env: {
            ...{ PATH: process.env.PATH, HOME: folder, ...npmSettings() },
            PINKAS_BASE_URL: base_url,
            PINKAS_KEY: issuer.key,
            PINKAS_WEBHOOK_SECRET: secret,
          },
        },
      );
      let printed = '';
      child.stdout.on('data', (chunk: Buffer) => {
        printed += chunk;
      });
      child.stderr.on('data', (chunk: Buffer) => {
        printed += chunk;
      });
      try {
        const isPrinted = (text: string) =>
          eventually(`it prints '${text}'`, () => printed.includes(text), 60_000).catch((error: Error) => {
            throw new Error(`${error.message}, but: ${printed}`);
          });
        await isPrinted(secret);
        await isPrinted('waiting for events');
        const { document } = await client.createDocument(invoice(31, { type: 'quote' }));
        await isPrinted(`quote ${document.number}`);
        const events = received.map(({ body, headers }) => verifyWebhook(body, headers, secret));
        expect(events).toContainEqual(
          expect.objectContaining({
            type: 'document.issued',
            data: expect.objectContaining({ document: expect.objectContaining({ id: document.id }) }),
          }),
        );
      } finally {
        // npx leaves its program when it is killed.
        process.kill(-(child.pid as number), 'SIGTERM');
        await new Promise((resolve) => receiver.close(resolve));
        await rm(folder, { recursive: true, force: true });
      }
    });
  });
}
