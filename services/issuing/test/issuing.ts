import { randomUUID } from 'node:crypto';
import {
  type AllocationOutcome,
  allocationSettled,
  artifactRendered,
  type Business,
  type CreateDocument,
  type DeliveryOutcome,
  deliveryPlanned,
  documentIssued,
  type IssuedDocument,
  issueDocument,
  type ReplyOf,
  type RequestOf,
  renderArtifact,
  resolveCustomer,
} from '@pinkas/contracts';
import type { Clock } from '@pinkas/service-kit';
import { exampleBusiness, type ServiceUnderTest, startServiceUnderTest } from '@pinkas/testkit';
import type { IssuingConfig } from '../src/config.js';
import { migrations } from '../src/db/migrations.js';
import type { IssuingTables } from '../src/document/document.tables.js';
import { IssuingModule } from '../src/issuing.module.js';

type RenderRequest = RequestOf<typeof renderArtifact>;

/** The issuing service with the other services answered for; each answer can be replaced by a test. */
export interface IssuingUnderTest extends ServiceUnderTest<IssuingTables> {
  business: Business;
  keyId: string;
  /** Replace it to fail, to wait or to look. */
  render: (request: RenderRequest) => Promise<void>;
  rendered: IssuedDocument[];
  /** What allocation and delivery publish on an issued document; null: they are away. */
  allocation: AllocationOutcome | null;
  delivery: DeliveryOutcome | null;
  clock: { now: Date };
  issue(
    body?: Partial<CreateDocument>,
    key?: string,
    change?: Partial<RequestOf<typeof issueDocument>>,
  ): Promise<ReplyOf<typeof issueDocument>>;
}

/** The body of a plain invoice of 100 net. */
export function invoiceBody(change: Partial<CreateDocument> = {}): CreateDocument {
  return {
    type: 'tax_invoice',
    customer: { name: 'לקוח לדוגמה' },
    items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 100 }],
    ...change,
  };
}

export async function startIssuing(
  options: { now?: Date; business?: Partial<Business>; outcomeWaitMs?: number } = {},
): Promise<IssuingUnderTest> {
  const clock = { now: options.now ?? new Date('2026-06-15T08:00:00Z') };
  const tested = await startServiceUnderTest<IssuingTables, IssuingConfig>({
    service: { name: 'issuing', module: IssuingModule, clock: { now: () => clock.now } satisfies Clock },
    migrations,
    config: { outcomeWaitMs: options.outcomeWaitMs ?? 3_000 },
  });
  const { network } = tested;
  const business = exampleBusiness(options.business);
  const made: IssuingUnderTest = {
    ...tested,
    business,
    keyId: randomUUID(),
    render: async () => {},
    rendered: [],
    allocation: {
      status: 'not_required',
      number: null,
      reason: 'The net amount is not above the threshold.',
    },
    delivery: { status: 'queued', channel: 'email', scheduled_for: null },
    clock,
    issue: (body, key = randomUUID(), change = {}) =>
      network.ask(issueDocument, {
        business,
        key: { id: made.keyId, daily_documents: 300 },
        idempotency_key: key,
        body: invoiceBody(body),
        ...change,
      }),
  };
  network.answer(renderArtifact, async (request) => {
    await made.render(request);
    made.rendered.push(request.document);
    return { revision: 1, sha256: 'ab'.repeat(32), size_bytes: 1, render_ms: 1, sign_ms: 1 };
  });
  network.answer(resolveCustomer, ({ customer }) => ({
    customer: {
      id: customer.id ?? randomUUID(),
      name: customer.name ?? 'לקוח לדוגמה',
      tax_id: customer.tax_id ?? null,
      legal_type: customer.legal_type ?? null,
      email: customer.email ?? null,
      phone: customer.phone ?? null,
      address: customer.address ?? null,
      city: customer.city ?? null,
    },
  }));
  network.connection.subscribe(`${documentIssued.subject}.*`, {
    callback: (_error, message) => {
      const { document, business: issuer } = message.json<{ document: IssuedDocument; business: Business }>();
      if (made.allocation) {
        void network.publish(allocationSettled, document.id, {
          document,
          business: issuer,
          allocation: made.allocation,
        });
      }
      if (made.allocation?.number) {
        void network.publish(artifactRendered, document.id, {
          document_id: document.id,
          business_id: document.business_id,
          revision: 2,
          sha256: 'ab'.repeat(32),
          allocation_number: made.allocation.number,
        });
      }
      if (made.delivery) {
        void network.publish(deliveryPlanned, document.id, {
          document_id: document.id,
          business_id: document.business_id,
          delivery: made.delivery,
        });
      }
    },
  });
  return made;
}
