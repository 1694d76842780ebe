import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { CreatedDocument } from '@pinkas/contracts';
import { type CollectedSpan, eventually, type TestCollector } from '@pinkas/testkit';
import { expectVerified } from '../../harness/book.js';
import {
  type Answer,
  type Issuer,
  invoice,
  type RunningStack,
  sendsMail,
} from '../../harness/running-stack.js';

export function traces(system: () => RunningStack, collectorOf: () => TestCollector): void {
  describe('traces', () => {
    let collector: TestCollector;
    let stack: RunningStack;
    let issuer: Issuer;
    beforeAll(async () => {
      collector = collectorOf();
      stack = system();
      issuer = await stack.newIssuer({ ...sendsMail, tax_authority_connected: true });
    });
    const issue = async (traceparent?: string): Promise<Answer<CreatedDocument>> => {
      const answer = await stack.call<CreatedDocument>(issuer.key, 'POST', '/documents', {
        body: invoice(6000),
        headers: { 'idempotency-key': randomUUID(), ...(traceparent ? { traceparent } : {}) },
      });
      expect(answer.status).toBe(201);
      return answer;
    };
    const mailed = (document: CreatedDocument) =>
      eventually('the mail has arrived', async () =>
        (await stack.mailsTo('customer@example.com')).some((mail) => mail.text.includes(document.view_url)),
      );

    it('a document is one trace from the HTTP request to the email, through every service and queue', async () => {
      const traceId = randomBytes(16).toString('hex');
      const callerSpan = randomBytes(8).toString('hex');
      const { body: document } = await issue(`00-${traceId}-${callerSpan}-01`);
      expect(document.allocation.status).toBe('issued');
      await mailed(document);

      const spans = () => collector.spans().filter((span) => span.traceId === traceId);
      const described = (span: CollectedSpan | undefined) =>
        span && `${span.service} ${span.kind} ${span.name}`;
      const named = (wanted: string) => spans().find((span) => described(span) === wanted);
      /** A span and the one that it is below. */
      const tree: [span: string, below: string][] = [
        ['pinkas-gateway client rpc.issuing.document.issue.v1', 'pinkas-gateway server POST /v1/documents'],
        [
          'pinkas-issuing server rpc.issuing.document.issue.v1',
          'pinkas-gateway client rpc.issuing.document.issue.v1',
        ],
        [
          'pinkas-issuing client rpc.customer.card.resolve.v1',
          'pinkas-issuing server rpc.issuing.document.issue.v1',
        ],
        [
          'pinkas-customer server rpc.customer.card.resolve.v1',
          'pinkas-issuing client rpc.customer.card.resolve.v1',
        ],
        [
          'pinkas-issuing client rpc.rendering.artifact.render.v1',
          'pinkas-issuing server rpc.issuing.document.issue.v1',
        ],
        [
          'pinkas-rendering server rpc.rendering.artifact.render.v1',
          'pinkas-issuing client rpc.rendering.artifact.render.v1',
        ],
        ['pinkas-rendering client render pdf', 'pinkas-rendering server rpc.rendering.artifact.render.v1'],
        ...['document.issued', 'number.required', 'message.due'].map((event): [string, string] => [
          `pinkas-issuing producer publish evt.issuing.${event}.v1`,
          'pinkas-issuing server rpc.issuing.document.issue.v1',
        ]),
        [
          'pinkas-allocation consumer process allocation-required-numbers',
          'pinkas-issuing producer publish evt.issuing.number.required.v1',
        ],
        [
          'pinkas-delivery consumer process delivery-due-messages',
          'pinkas-issuing producer publish evt.issuing.message.due.v1',
        ],
        [
          'pinkas-allocation internal allocation-worker',
          'pinkas-allocation consumer process allocation-required-numbers',
        ],
        [
          'pinkas-allocation producer publish evt.allocation.document.settled.v1',
          'pinkas-allocation internal allocation-worker',
        ],
        [
          'pinkas-rendering consumer process rendering-settle-artifact',
          'pinkas-allocation producer publish evt.allocation.document.settled.v1',
        ],
        [
          'pinkas-rendering producer publish evt.rendering.artifact.rendered.v1',
          'pinkas-rendering consumer process rendering-settle-artifact',
        ],
        [
          'pinkas-delivery consumer process delivery-release',
          'pinkas-rendering producer publish evt.rendering.artifact.rendered.v1',
        ],
        [
          'pinkas-delivery internal message-sender-email',
          'pinkas-delivery consumer process delivery-due-messages',
        ],
        ['pinkas-delivery client send email', 'pinkas-delivery internal message-sender-email'],
        [
          'pinkas-delivery producer publish evt.delivery.message.sent.v1',
          'pinkas-delivery internal message-sender-email',
        ],
      ];
      await eventually('every span has come', () => tree.flat().every((wanted) => named(wanted)));
      const byId = new Map(spans().map((span) => [span.spanId, span]));
      const found = tree.map(([wanted]) => {
        const span = named(wanted);
        return [wanted, described(byId.get(span?.parentSpanId ?? ''))];
      });
      expect(found).toEqual(tree);
      const root = named('pinkas-gateway server POST /v1/documents');
      expect(root).toMatchObject({
        parentSpanId: callerSpan,
        attributes: {
          'http.route': '/v1/documents',
          'http.response.status_code': 201,
          'pinkas.document.id': document.id,
          'pinkas.business.id': issuer.business.id,
        },
      });
      const asked = spans().find((span) => /^POST .*\/Approval$/.test(span.name));
      expect(described(byId.get(asked?.parentSpanId ?? ''))).toBe(
        'pinkas-allocation internal allocation-worker',
      );

      // Whatever belongs to the document can be found by its id, and every line of its work by the trace.
      const about = spans().filter((span) => span.kind === 'consumer' || span.kind === 'internal');
      for (const span of about) {
        expect(span.attributes['pinkas.document.id']).toBe(document.id);
      }
      const lines = await linesWith(traceId);
      expect(lines.map((line) => line.service)).toEqual(
        expect.arrayContaining(['gateway', 'issuing', 'delivery']),
      );
      for (const line of lines) {
        expect(line.document_id).toBe(document.id);
      }
    });

    it('a trace starts with the request when the caller sends no traceparent', async () => {
      const { body: document } = await issue();
      const root = await eventually('the span has come', () =>
        collector
          .spans()
          .filter((span) => span.service === 'pinkas-gateway' && span.kind === 'server')
          .find((span) => span.attributes['pinkas.document.id'] === document.id),
      );
      expect(root.parentSpanId).toBeUndefined();
    });

    it('an unsampled traceparent of the caller is respected', async () => {
      const traceId = randomBytes(16).toString('hex');
      const { body: document } = await issue(`00-${traceId}-${randomBytes(8).toString('hex')}-00`);
      await mailed(document);
      expect((await linesWith(traceId)).length).toBeGreaterThan(0);
      expect(collector.spans().filter((span) => span.traceId === traceId)).toEqual([]);
    });

    it('spans contain no personal data and no key', async () => {
      const { body: document } = await issue();
      await mailed(document);
      expect(collector.bodies.length).toBeGreaterThan(0);
      const texts = collector.bodies.flatMap((body) => body.split(/(?<=\}),/));
      expect(stack.leaksAmong(texts)).toEqual([]);
      expect(collector.bodies.join()).not.toMatch(/[\u0590-\u05ff]|pk_live_|Bearer/);
    });

    it.each(['fails', 'hangs'] as const)(
      'documents are issued and sent while the collector %s',
      async (mode) => {
        collector.mode = mode;
        const sent = collector.bodies.length;
        for (let time = 0; time < 3; time += 1) {
          await mailed((await issue()).body);
        }
        await eventually('the services have tried', () => collector.bodies.length > sent);
        await expectVerified(stack, issuer);
      },
    );

    async function linesWith(traceId: string): Promise<{ service: string; document_id?: string }[]> {
      const folder = join(stack.home, 'logs');
      const texts = await Promise.all(
        (await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8')),
      );
      return texts
        .flatMap((text) => text.split('\n'))
        .filter((line) => line.includes(`"trace_id":"${traceId}"`))
        .map((line) => JSON.parse(line) as { service: string; document_id?: string });
    }
  });
}
