import { createHash, randomInt, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  artifactRendered,
  type Business,
  type Debt,
  type DeliveryOutcome,
  type DocumentState,
  deliveryPlanned,
  documentCancelled,
  type EventOf,
  findPublicDocument,
  getArtifact,
  getDocument,
  getLogo,
  type IssuedDocument,
  listDebts,
  messageDue,
  messageFailed,
  messageSent,
  type RequestOf,
  releaseArtifact,
  streamOf,
} from '@pinkas/contracts';
import { dayInIsrael, daysAfter, debtAgeOf } from '@pinkas/domain';
import { ApiError, type RunningService, type ServiceOptions, startService } from '@pinkas/service-kit';
import {
  eventually,
  exampleBusiness,
  exampleDocument,
  exampleDue,
  type ServiceUnderTest,
  serviceConfig,
  startServiceUnderTest,
} from '@pinkas/testkit';
import type { Selectable } from 'kysely';
import type { DeliveryConfig } from '../src/config.js';
import { migrations } from '../src/db/migrations.js';
import type {
  AttemptTable,
  DeliveryRow,
  DeliveryState,
  DeliveryTables,
} from '../src/delivery/delivery.tables.js';
import { MessageSender } from '../src/delivery/message-sender.js';
import { backgroundTasks, DeliveryModule } from '../src/delivery.module.js';
import { parseNetworks } from '../src/webhook/public-address.js';
import { WebhookSender } from '../src/webhook/webhook-sender.js';
import { type MailboxSimulator, startMailboxSimulator } from './mailbox-simulator.js';
import { startWhatsAppSimulator, type WhatsAppSimulator, whatsappAccount } from './whatsapp-simulator.js';

/** A document as lists show it. */
export function headOf({
  items,
  prices_include_vat,
  discount,
  payments,
  title,
  notes,
  send,
  ...head
}: IssuedDocument) {
  return head;
}

/** What the final PDF of a document shows. */
export interface RenderedPdf {
  revision: number;
  allocation_number: string | null;
  allocation_pending: boolean;
  report_cancelled?: boolean;
  not_deductible?: boolean;
}

/** Noon in Israel. */
const noon = '2026-06-15T09:00:00Z';
const firstPdf: RenderedPdf = { revision: 1, allocation_number: null, allocation_pending: false };

/** The delivery service with a mailbox, and with the events and PDFs of the others made by the test. */
export interface DeliveryUnderTest extends ServiceUnderTest<DeliveryTables> {
  mailbox: MailboxSimulator;
  /** Null unless the service was started with it. */
  whatsapp: WhatsAppSimulator | null;
  business: Business;
  clock: { now: Date };
  pdf: Buffer;
  /** Set it while rendering is not to be reached. */
  pdfUnavailable: boolean;
  /** Set it while issuing is not to be reached. */
  issuingUnavailable: boolean;
  /** What was paid and credited of all documents, as issuing states it. */
  state: Partial<DocumentState>;
  /** What is left to pay of documents, by their ids; of others nothing is. */
  debts: Map<string, number>;
  /** Set it to make rendering give another file than the one with the hash. */
  pdfDamaged: boolean;
  /** Set it to make rendering give a PDF that says that its document is cancelled. */
  pdfCancelled: boolean;
  /** Set it to let rendering answer only when this has settled. */
  pdfReady: Promise<void>;
  /** The documents of which rendering got the request to release the customer's PDF, once for each request. */
  releasedArtifacts: string[];
  /** Those requests. */
  fetched: RequestOf<typeof releaseArtifact>[];
  /** The ids of the documents whose PDF was fetched and not released. */
  shown: string[];
  /** The logos that rendering gives, by their hashes. */
  logos: Map<string, Buffer>;
  /** Before a test that shares the service: a new business, noon, a working mailbox and all PDFs. */
  reset(): Promise<void>;
  /** Moves the clock. */
  advanceClock(ms: number): void;
  /** A recipient of its own for each call, so that tests do not see each other's mail. */
  newRecipient(): string;
  /** A phone number of its own for each call, in E.164. */
  newPhone(): string;
  issue(
    recipient: string | null,
    change?: {
      document?: Partial<IssuedDocument>;
      business?: Partial<Business>;
      /** The outcome in the response; without one the plan is published in any case. */
      answered?: DeliveryOutcome;
      /** False: issuing publishes nothing, since nothing is to be sent. */
      due?: boolean;
      /** False: its first PDF is final. */
      numberRequired?: boolean;
    },
  ): Promise<IssuedDocument>;
  /** Publishes a final PDF, and makes rendering give it. */
  render(document: IssuedDocument, shown?: Partial<RenderedPdf>): Promise<void>;
  /** Makes rendering give a PDF, of which no event was published yet. */
  give(document: IssuedDocument, shown: Partial<RenderedPdf>): void;
  /** Issues a document and renders its final PDF, so that its message is due. */
  issueReady(
    recipient: string | null,
    change?: Parameters<DeliveryUnderTest['issue']>[1],
  ): Promise<IssuedDocument>;
  /** Says that it was cancelled, and waits until that was heard. */
  cancel(document: IssuedDocument): Promise<void>;
  planned(document: IssuedDocument): Promise<DeliveryOutcome>;
  plannedOf(document: IssuedDocument): DeliveryOutcome[];
  sentOf(document: IssuedDocument): EventOf<typeof messageSent>[];
  failedOf(document: IssuedDocument): EventOf<typeof messageFailed>[];
  rows(document: IssuedDocument): Promise<DeliveryRow[]>;
  /** Every handing over of a document's messages, in order. */
  attempts(document: IssuedDocument): Promise<Selectable<AttemptTable>[]>;
  /** Starts another instance of the service on the same servers. */
  startAnother(): Promise<RunningService>;
  /** Waits until the only message of a document is as the probe wants it. */
  rowWhere(
    document: IssuedDocument,
    what: string,
    probe: (row: DeliveryRow) => boolean,
  ): Promise<DeliveryRow>;
  /** Waits until the only message of a document is in a state. */
  inState(document: IssuedDocument, state: DeliveryState): Promise<DeliveryRow>;
  /** Waits until the only message of a document was attempted so often. */
  attempted(document: IssuedDocument, times: number): Promise<DeliveryRow>;
  /** Makes the server forget the consumers, so that every event comes again; waits until all were taken. */
  redeliverAll(): Promise<void>;
}

/** @param parts `whatsapp`: with a WhatsApp to send by; `patience`: how long a provider may be silent, in milliseconds, by default two seconds; `config`: what else is different, given the mailbox and a folder. */
export async function startDelivery(
  parts: {
    whatsapp?: boolean;
    patience?: number;
    config?: (mailbox: MailboxSimulator, folder: string) => Promise<Partial<DeliveryConfig>>;
  } = {},
): Promise<DeliveryUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'pinkas-mailbox-'));
  const mailbox = await startMailboxSimulator(folder);
  const whatsapp = parts.whatsapp ? await startWhatsAppSimulator(join(folder, 'whatsapp')) : null;
  const clock = { now: new Date(noon) };
  const service: Omit<ServiceOptions, 'config'> = {
    name: 'delivery',
    module: DeliveryModule,
    backgroundTasks,
    clock: { now: () => clock.now },
  };
  const config = {
    smtpUrl: mailbox.smtpUrl,
    smtpTls: 'off',
    smtpCaFile: null,
    smtpTimeoutMs: parts.patience ?? 2_000,
    mailFrom: 'documents@pinkas.example.com',
    dkimKeys: new Map(),
    messagesPerBusinessAndDay: 5_000,
    testMailboxUrl: mailbox.smtpUrl,
    viewUrlBase: 'https://pinkas.example.com/d',
    pdfUrlBase: 'https://pinkas.example.com/pdf',
    webhookEncryptionKey: Buffer.alloc(32, 7),
    webhookAllow: parseNetworks('127.0.0.1/32'),
    webhookTimeoutMs: 2_000,
    whatsapp: whatsapp && whatsappAccount(whatsapp.url, parts.patience ?? 2_000),
    ...(await parts.config?.(mailbox, folder)),
  } as const;
  const tested = await startServiceUnderTest<DeliveryTables, DeliveryConfig>({ service, migrations, config });
  const others: RunningService[] = [];
  const { network, database } = tested;
  const planned = network.collect(deliveryPlanned);
  const sent = network.collect(messageSent);
  const failed = network.collect(messageFailed);
  const of =
    <E extends { document_id: string }>(events: E[]) =>
    (document: IssuedDocument) =>
      events.filter((event) => event.document_id === document.id);
  /** What issuing knows of the documents. */
  const issued: EventOf<typeof messageDue>[] = [];
  /** The latest PDFs by document. */
  const pdfs = new Map<string, RenderedPdf>();
  const made: DeliveryUnderTest = {
    ...tested,
    mailbox,
    whatsapp,
    business: exampleBusiness(),
    clock,
    pdf: Buffer.from(`%PDF-1.7\n${'binary \u0000\u00ff '.repeat(2_000)}\n%%EOF\n`, 'latin1'),
    pdfUnavailable: false,
    issuingUnavailable: false,
    state: {},
    debts: new Map(),
    pdfDamaged: false,
    pdfCancelled: false,
    pdfReady: Promise.resolve(),
    releasedArtifacts: [],
    fetched: [],
    shown: [],
    logos: new Map(),
    reset: async () => {
      Object.assign(made, {
        business: exampleBusiness(),
        pdfUnavailable: false,
        issuingUnavailable: false,
        state: {},
        debts: new Map(),
        pdfDamaged: false,
        pdfCancelled: false,
        pdfReady: Promise.resolve(),
      });
      clock.now = new Date(noon);
      await Promise.all([mailbox.mode('ok'), whatsapp?.mode({ mode: 'ok' })]);
    },
    advanceClock: (ms) => {
      clock.now = new Date(clock.now.getTime() + ms);
      tested.service.app.get(MessageSender).trigger();
      tested.service.app.get(WebhookSender).trigger();
    },
    newRecipient: () => `customer-${randomUUID()}@example.com`,
    newPhone: () => `+97250${String(randomInt(10_000_000)).padStart(7, '0')}`,
    issue: async (recipient, change = {}) => {
      const document = exampleDocument({
        business_id: made.business.id,
        issued_at: clock.now.toISOString(),
        ...change.document,
      });
      document.customer.email = recipient;
      const event = exampleDue(
        document,
        { ...made.business, ...change.business },
        {
          ...(change.answered && { delivery: change.answered }),
          ...(change.numberRequired === false && { number_required: false }),
        },
      );
      issued.push(event);
      if (change.due !== false) {
        await network.publish(messageDue, document.id, event);
      }
      return document;
    },
    render: (document, shown) => {
      made.give(document, shown ?? {});
      return network.publish(artifactRendered, document.id, {
        document_id: document.id,
        business_id: document.business_id,
        sha256: createHash('sha256').update(made.pdf).digest('hex'),
        ...firstPdf,
        ...shown,
      });
    },
    give: (document, shown) => {
      const given = { ...firstPdf, ...shown };
      if (given.revision >= (pdfs.get(document.id)?.revision ?? 1)) {
        pdfs.set(document.id, given);
      }
    },
    issueReady: async (recipient, change) => {
      const document = await made.issue(recipient, change);
      await made.render(document);
      return document;
    },
    cancel: async (document) => {
      await network.publish(documentCancelled, document.id, {
        document,
        business: made.business,
        cancelled_at: clock.now.toISOString(),
      });
      await eventually('the cancellation is noted', () =>
        database.db
          .selectFrom('document')
          .select('cancelled_at')
          .where('document_id', '=', document.id)
          .where('cancelled_at', 'is not', null)
          .executeTakeFirst(),
      );
    },
    planned: (document) => eventually('the plan is published', () => made.plannedOf(document)[0]),
    plannedOf: (document) => of(planned)(document).map((event) => event.delivery),
    sentOf: of(sent),
    failedOf: of(failed),
    rows: (document) =>
      database.db
        .selectFrom('delivery')
        .selectAll()
        .where('document_id', '=', document.id)
        .orderBy('purpose')
        .execute(),
    attempts: async (document) => {
      const ids = (await made.rows(document)).map(({ id }) => id);
      return database.db
        .selectFrom('attempt')
        .selectAll()
        .where('delivery_id', 'in', ids)
        .orderBy('delivery_id')
        .orderBy('n')
        .execute();
    },
    startAnother: async () => {
      const servers = { natsUrl: tested.nats.url, databaseUrl: database.url };
      const another = await startService({ ...service, config: { ...serviceConfig(servers), ...config } });
      others.push(another);
      return another;
    },
    rowWhere: (document, what, probe) =>
      eventually(what, async () => {
        const [row] = await made.rows(document);
        return row && probe(row) && row;
      }),
    inState: (document, state) =>
      made.rowWhere(document, `the message is ${state}`, (row) => row.state === state),
    attempted: (document, times) =>
      made.rowWhere(
        document,
        `the message was attempted ${times} times`,
        ({ attempts }) => attempts === times,
      ),
    redeliverAll: async () => {
      const { consumers } = await network.streamManager();
      for (const [owner, durable] of [
        ['issuing', 'delivery-due-messages'],
        ['issuing', 'delivery-withdraw'],
        ['rendering', 'delivery-release'],
      ] as const) {
        const stream = streamOf(owner).name;
        await consumers.delete(stream, durable);
        await eventually(`every event of ${owner} was taken again`, async () => {
          const found = await consumers.info(stream, durable);
          return found.delivered.stream_seq > 0 && found.num_pending === 0 && found.num_ack_pending === 0;
        });
      }
    },
    stop: async () => {
      await Promise.all(others.map((another) => another.stop()));
      await tested.stop();
      await mailbox.kill();
      await whatsapp?.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
  const signedPdf = async (documentId: string) => {
    // As of now: the answer may be late.
    const { revision, allocation_number, report_cancelled, not_deductible } =
      pdfs.get(documentId) ?? firstPdf;
    await made.pdfReady;
    if (made.pdfUnavailable) {
      throw new ApiError('engine_error');
    }
    return {
      revision,
      allocation_number,
      ...(report_cancelled && { report_cancelled }),
      ...(not_deductible && { not_deductible }),
      sha256: createHash('sha256').update(made.pdf).digest('hex'),
      pdf: (made.pdfDamaged ? made.pdf.subarray(1) : made.pdf).toString('base64'),
      cancelled: made.pdfCancelled,
    };
  };
  /** The reply of issuing about a document. */
  const issuedDocument = (probe: (document: IssuedDocument) => boolean) => {
    const found = issued.find(({ document }) => probe(document));
    if (!found || made.issuingUnavailable) {
      throw new ApiError(found ? 'engine_error' : 'not_found');
    }
    const open = { status: 'open', paid: 0, allocation_number: null, cancelled_at: null } as const;
    const state = { ...open, ...made.state };
    const { document, business, artifact_sha256 } = found;
    return { document, business, artifact_sha256, state };
  };
  network.answer(getDocument, ({ business_id, document_id }) => {
    const { document: found, state } = issuedDocument(
      (document) => document.id === document_id && document.business_id === business_id,
    );
    const listed = {
      document: headOf(found),
      state,
      allocation: { status: 'not_required' as const, number: null, reason: 'The net is small.' },
      delivery: { status: 'queued' as const, channel: 'email' as const, scheduled_for: null },
    };
    return { document: found, state, listed };
  });
  network.answer(findPublicDocument, ({ public_id }) =>
    issuedDocument((document) => document.public_id === public_id),
  );
  network.answer(listDebts, ({ business_id, customer_id, limit }) => {
    if (made.issuingUnavailable) {
      throw new ApiError('engine_error');
    }
    const today = dayInIsrael(clock.now);
    const debts = issued.flatMap(({ document }): Debt[] => {
      const balance = made.debts.get(document.id) ?? 0;
      const due_on = document.due_date ?? document.date;
      const isOpen = balance > 0 && document.business_id === business_id;
      const late = { days_late: daysAfter(due_on, today), age: debtAgeOf(due_on, today) };
      return isOpen && document.customer.id === customer_id
        ? [{ document: headOf(document), customer_id, balance, due_on, ...late }]
        : [];
    });
    return { debts: debts.slice(0, limit), next_after: null };
  });
  network.answer(getLogo, ({ logo }) => {
    const found = made.logos.get(logo.sha256);
    if (!found) {
      throw new ApiError('not_found');
    }
    return { png: found.toString('base64'), width: 20, height: 10 };
  });
  network.answer(getArtifact, ({ document_id: documentId }) => {
    made.shown.push(documentId);
    return signedPdf(documentId);
  });
  network.answer(releaseArtifact, (request) => {
    const { document_id: documentId } = request;
    made.fetched.push(request);
    made.releasedArtifacts.push(documentId);
    return signedPdf(documentId);
  });
  return made;
}
