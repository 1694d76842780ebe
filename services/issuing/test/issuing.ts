import { randomUUID } from 'node:crypto';
import {
  type AllocationOutcome,
  allocationSettled,
  artifactRendered,
  type Business,
  type CreateDocument,
  type CustomerInput,
  type CustomerSnapshot,
  cardChanged,
  checkRecipient,
  customerRecorded,
  type EventOf,
  type IssuedDocument,
  issueDocument,
  matchCustomer,
  numberRequired,
  previewDocument,
  type ReplyOf,
  type RequestOf,
  releaseCustomer,
  renderArtifact,
  resolveCustomer,
  showAllocationThreshold,
} from '@pinkas/contracts';
import type { DocumentType, PaymentTerms } from '@pinkas/domain';
import type { RecipientCheck } from '@pinkas/domain/delivery';
import { ApiError, type Transaction } from '@pinkas/service-kit';
import { eventually, exampleBusiness, ServiceUnderTest, startServiceUnderTest } from '@pinkas/testkit';
import { sql } from 'kysely';
import type { IssuingConfig } from '../src/config.js';
import { migrations } from '../src/db/migrations.js';
import type { IssuingTables } from '../src/document/document.tables.js';
import { backgroundTasks, IssuingModule } from '../src/issuing.module.js';

/** The issuing service with fakes of the other services; a test can replace each of their replies. */
export class IssuingUnderTest extends ServiceUnderTest<IssuingTables, IssuingConfig> {
  business: Business = exampleBusiness();
  readonly keyId: string = randomUUID();
  /** Replace them to fail, to wait or to inspect. */
  render: (request: RequestOf<typeof renderArtifact>) => Promise<void> = async () => {};
  resolve: (request: RequestOf<typeof resolveCustomer>) => Promise<void> = async () => {};
  release: () => Promise<void> = async () => {};
  /** Called where the card is only looked up, for a preview. */
  match: () => Promise<void> = async () => {};
  /** The payment terms that the card has. */
  terms: PaymentTerms | null = null;
  rendered: IssuedDocument[] = [];
  /** The ids of the documents that cards were reserved and released for, in order. */
  resolved: string[] = [];
  released: string[] = [];
  /** What allocation publishes for a document that needs a number; null: nothing. */
  allocation: (AllocationOutcome & { readonly refused?: boolean }) | null = null;
  /** What delivery knows of the addresses of a document that is sent; null: it is away. */
  recipient: RecipientCheck | null = { suppressed: [], whatsapp_configured: true };
  /** The threshold that the tax authority has named. */
  threshold: ReplyOf<typeof showAllocationThreshold>['answer'] = null;
  /** Whether documents change the customer's card. */
  customerChanges = true;
  /** Customer publishes that it has recorded a card when this has settled. */
  cardsRecorded: Promise<void> = Promise.resolve();

  /** Does something while every event handler waits: what a reply watches comes before what is handled. */
  beforeHandlers<T>(work: () => Promise<T>): Promise<T> {
    return this.database.db.transaction().execute(async (trx) => {
      await sql`lock table inbox in share row exclusive mode`.execute(trx);
      return work();
    });
  }

  issue(
    body?: Partial<CreateDocument>,
    key: string = randomUUID(),
    change: Partial<RequestOf<typeof issueDocument>> = {},
  ): Promise<ReplyOf<typeof issueDocument>> {
    return this.network.call(issueDocument, { idempotency_key: key, ...this.#requestOf(body), ...change });
  }

  preview(
    body?: Partial<CreateDocument>,
    change: Partial<RequestOf<typeof previewDocument>> = {},
  ): Promise<ReplyOf<typeof previewDocument>> {
    return this.network.call(previewDocument, { ...this.#requestOf(body), ...change });
  }

  #requestOf(body?: Partial<CreateDocument>) {
    return {
      business: this.business,
      issuer: { kind: 'key' as const, id: this.keyId, daily_documents: 300 },
      body: invoiceBody(body),
    };
  }
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

/** A promise that stays pending until `open` is called. */
export function gate(): { open: () => void; opened: Promise<void> } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** Waits until a transaction of the service waits for a row lock. */
export async function untilOneWaits(issuing: IssuingUnderTest): Promise<void> {
  await eventually('a transaction waits', async () => {
    const { rows } = await sql`
      select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%for update%'`.execute(
      issuing.database.db,
    );
    return rows.length > 0;
  });
}

/** Runs `work` while another transaction holds the locks of `hold`; `work` may release them early. */
export async function whileHeld(
  issuing: IssuingUnderTest,
  hold: (trx: Transaction<IssuingTables>) => Promise<unknown>,
  work: (release: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { open: held, opened: isHeld } = gate();
  const { open: end, opened: isOver } = gate();
  const holding = issuing.database.db.transaction().execute(async (trx) => {
    await hold(trx);
    held();
    await isOver;
  });
  const release = async () => {
    end();
    await holding;
  };
  try {
    await Promise.race([isHeld, holding]);
    await work(release);
  } finally {
    await release();
  }
}

/**
 * Blocks renderings of a document type, and with them the transaction that has the series and the source locked.
 * @returns `begun`, which waits until one is blocked, and `open`, which continues it.
 */
export function holdRendering(
  issuing: IssuingUnderTest,
  type: DocumentType,
): { begun: () => Promise<unknown>; open: () => void } {
  const { open, opened } = gate();
  let held = false;
  issuing.render = async ({ document }) => {
    if (document.type !== type) {
      return;
    }
    held = true;
    await opened;
  };
  return { begun: () => eventually('the rendering is held', () => held), open };
}

/** A customer to whom a document above the threshold needs a number. */
export const numberedCustomer = {
  name: 'לקוח עם מספר',
  tax_id: '777777715',
  email: 'customer@example.com',
} as const;

/** One payment in cash. */
export const cash = (amount: number): NonNullable<CreateDocument['payments']> => [{ method: 'cash', amount }];

/** One line of a net amount, for the documents whose amount matters. */
export const net = (unit_price: number): CreateDocument['items'] => [
  { description: 'שירות לדוגמה', quantity: 1, unit_price },
];

/** A customer as the fake of customer has them: what the request states, and nothing from a card. */
const snapshotOf = (customer: CustomerInput, id: string): CustomerSnapshot => ({
  id: customer.id ?? id,
  name: customer.name ?? 'לקוח לדוגמה',
  tax_id: customer.tax_id ?? null,
  legal_type: customer.legal_type ?? null,
  email: customer.email ?? null,
  phone: customer.phone ?? null,
  address: customer.address ?? null,
  city: customer.city ?? null,
});

/** Starts the service; `business` and `outcomeWaitMs` are what differs from the usual. */
export async function startIssuing(
  options: { now?: Date; business?: Partial<Business>; outcomeWaitMs?: number } = {},
): Promise<IssuingUnderTest> {
  const issuing = await startServiceUnderTest(IssuingUnderTest, {
    service: { name: 'issuing', module: IssuingModule, backgroundTasks },
    clock: { now: options.now ?? new Date('2026-06-15T08:00:00Z') },
    migrations,
    config: {
      outcomeWaitMs: options.outcomeWaitMs ?? 3_000,
      renderingsMax: 8,
      taxAuthorityCreditNotes: 'ask',
    },
  });
  issuing.business = exampleBusiness(options.business);
  answerForCards(issuing);
  answerForOthers(issuing);
  publishOutcomes(issuing);
  return issuing;
}

/** Answers for customer. */
function answerForCards(issuing: IssuingUnderTest): void {
  const { network } = issuing;
  network.answer(resolveCustomer, async (request) => {
    issuing.resolved.push(request.document_id);
    await issuing.resolve(request);
    return {
      customer: snapshotOf(request.customer, randomUUID()),
      changes: issuing.customerChanges,
      ...(issuing.terms && { payment_terms: issuing.terms }),
    };
  });
  network.answer(matchCustomer, async ({ customer }) => {
    await issuing.match();
    return {
      customer: { ...snapshotOf(customer, randomUUID()), id: customer.id ?? null },
      matched_by: customer.id === undefined ? null : ('id' as const),
      ...(issuing.terms && { payment_terms: issuing.terms }),
    };
  });
  network.answer(releaseCustomer, async (request) => {
    issuing.released.push(request.document_id);
    await issuing.release();
    return {};
  });
}

/** Answers for rendering, delivery and allocation. */
function answerForOthers(issuing: IssuingUnderTest): void {
  const { network } = issuing;
  network.answer(renderArtifact, async (request) => {
    await issuing.render(request);
    issuing.rendered.push(request.document);
    return { revision: 1, sha256: 'ab'.repeat(32), size_bytes: 1, render_ms: 1, sign_ms: 1 };
  });
  network.answer(checkRecipient, ({ addresses }) => {
    if (!issuing.recipient) {
      throw new ApiError('engine_error');
    }
    const channels = addresses.map(({ channel }) => channel);
    return {
      ...issuing.recipient,
      suppressed: issuing.recipient.suppressed.filter((channel) => channels.includes(channel)),
    };
  });
  network.answer(showAllocationThreshold, () => ({ answer: issuing.threshold }));
}

/** Publishes what becomes of a card and of a number that is required. */
function publishOutcomes(issuing: IssuingUnderTest): void {
  const { network } = issuing;
  network.connection.subscribe(`${cardChanged.subject}.*`, {
    callback: (_error, message) => {
      const { document_id, business_id, customer } = message.json<EventOf<typeof cardChanged>>();
      void issuing.cardsRecorded.then(() =>
        network.publish(customerRecorded, document_id, {
          document_id,
          business_id,
          customer_id: customer.id,
        }),
      );
    },
  });
  network.connection.subscribe(`${numberRequired.subject}.*`, {
    callback: (_error, message) => {
      const { document, business: issuer } = message.json<EventOf<typeof numberRequired>>();
      if (issuing.allocation) {
        const { refused = false, ...allocation } = issuing.allocation;
        void network.publish(allocationSettled, document.id, {
          document,
          business: issuer,
          allocation,
          pending: false,
          refused,
          artifact_sha256: 'ab'.repeat(32),
        });
      }
      if (issuing.allocation?.number) {
        void network.publish(artifactRendered, document.id, {
          document_id: document.id,
          business_id: document.business_id,
          revision: 2,
          sha256: 'ab'.repeat(32),
          allocation_number: issuing.allocation.number,
          allocation_pending: false,
        });
      }
    },
  });
}
