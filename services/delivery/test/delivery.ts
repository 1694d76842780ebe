import { createHash, randomInt, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  artifactRendered,
  type Business,
  type DeliveryOutcome,
  type DocumentState,
  deliveryPlanned,
  documentCancelled,
  type EventOf,
  type IssuedDocument,
  messageDue,
  messageFailed,
  messageSent,
  type RequestOf,
  type releaseArtifact,
} from '@pinkas/contracts';
import type { AllocationOptions } from '@pinkas/domain';
import {
  eventually,
  exampleBusiness,
  exampleDocument,
  exampleDue,
  type ServiceParts,
  ServiceUnderTest,
  startServiceUnderTest,
} from '@pinkas/testkit';
import type { Selectable } from 'kysely';
import type { DeliveryConfig } from '../src/config.js';
import type { AttemptTable, DeliveryRow, DeliveryState, DeliveryTables } from '../src/db/delivery.tables.js';
import { migrations } from '../src/db/migrations.js';
import { backgroundTasks, DeliveryModule } from '../src/delivery.module.js';
import { parseNetworks } from '../src/public-address.js';
import { MessageSender } from '../src/send/message-sender.js';
import { WebhookSender } from '../src/webhook/webhook-sender.js';
import { type MailboxSimulator, startMailboxSimulator } from './mailbox-simulator.js';
import { answerForIssuing, answerForRendering } from './peers.js';
import { startWhatsAppSimulator, type WhatsAppSimulator, whatsappAccount } from './whatsapp-simulator.js';

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
export const quietHours = {
  auto_send: { enabled: true, channel: 'email', quiet_hours: '22:00-07:00' },
} as const;
const firstPdf: RenderedPdf = { revision: 1, allocation_number: null, allocation_pending: false };

/** The delivery service with a mailbox, and with the events and PDFs of the others made by the test. */
export class DeliveryUnderTest extends ServiceUnderTest<DeliveryTables, DeliveryConfig> {
  folder!: string;
  mailbox!: MailboxSimulator;
  /** Null unless the service was started with it. */
  whatsapp!: WhatsAppSimulator | null;
  business: Business = exampleBusiness();
  pdf: Buffer = Buffer.from(`%PDF-1.7\n${'binary \u0000\u00ff '.repeat(2_000)}\n%%EOF\n`, 'latin1');
  /** Set it while rendering is not to be reached. */
  pdfUnavailable = false;
  /** Set it while issuing is not to be reached. */
  issuingUnavailable = false;
  /** What was paid and credited of all documents, as issuing states it. */
  state: Partial<DocumentState> = {};
  /** By which issuing decides about allocation numbers. */
  allocationOptions: AllocationOptions = {};
  /** What is left to pay of documents, by their ids; of others nothing is. */
  debts = new Map<string, number>();
  /** What every customer has on account. */
  onAccount = 0;
  /** Set it to make rendering give another file than the one with the hash. */
  pdfDamaged = false;
  /** Set it to make rendering give a PDF that states that its document is cancelled. */
  pdfCancelled = false;
  /** Set it to let rendering answer only when this has settled. */
  pdfReady: Promise<void> = Promise.resolve();
  /** The documents of which rendering got the request to release the customer's PDF, once for each request. */
  readonly releasedArtifacts: string[] = [];
  /** Those requests. */
  readonly fetched: RequestOf<typeof releaseArtifact>[] = [];
  /** The ids of the documents whose PDF was fetched and not released. */
  readonly shown: string[] = [];
  /** The logos that rendering gives, by their hashes. */
  readonly logos = new Map<string, Buffer>();
  /** What issuing knows of the documents. */
  readonly issued: EventOf<typeof messageDue>[] = [];
  /** The latest PDFs by document. */
  readonly #pdfs = new Map<string, RenderedPdf>();
  readonly #planned = this.network.collect(deliveryPlanned);
  readonly #sent = this.network.collect(messageSent);
  readonly #failed = this.network.collect(messageFailed);

  /** Before a test that shares the service: a new business, noon, a working mailbox and all PDFs. */
  async reset(): Promise<void> {
    this.business = exampleBusiness();
    this.pdfUnavailable = false;
    this.issuingUnavailable = false;
    this.state = {};
    this.allocationOptions = {};
    this.debts = new Map();
    this.onAccount = 0;
    this.pdfDamaged = false;
    this.pdfCancelled = false;
    this.pdfReady = Promise.resolve();
    this.clock.now = new Date(noon);
    await Promise.all([this.mailbox.mode('ok'), this.whatsapp?.mode({ mode: 'ok' })]);
  }

  /** Moves the clock. */
  advanceClock(ms: number): void {
    this.clock.now = new Date(this.clock.now.getTime() + ms);
    this.service.app.get(MessageSender).trigger();
    this.service.app.get(WebhookSender).trigger();
  }

  /** A recipient of its own for each call, so that tests do not see each other's mail. */
  newRecipient(): string {
    return `customer-${randomUUID()}@example.com`;
  }

  /** A phone number of its own for each call, in E.164. */
  newPhone(): string {
    return `+97250${String(randomInt(10_000_000)).padStart(7, '0')}`;
  }

  async issue(recipient: string | null, change: IssueChange = {}): Promise<IssuedDocument> {
    const document = exampleDocument({
      business_id: this.business.id,
      issued_at: this.clock.now.toISOString(),
      ...change.document,
    });
    document.customer.email = recipient;
    const event = exampleDue(
      document,
      { ...this.business, ...change.business },
      {
        ...(change.answered && { delivery: change.answered }),
        ...(change.numberRequired === false && { number_required: false }),
      },
    );
    this.issued.push(event);
    if (change.due !== false) {
      await this.network.publish(messageDue, document.id, event);
    }
    return document;
  }

  /** Publishes a final PDF, and makes rendering give it. */
  render(document: IssuedDocument, shown: Partial<RenderedPdf> = {}): Promise<void> {
    this.give(document, shown);
    return this.network.publish(artifactRendered, document.id, {
      document_id: document.id,
      business_id: document.business_id,
      sha256: createHash('sha256').update(this.pdf).digest('hex'),
      ...firstPdf,
      ...shown,
    });
  }

  /** Makes rendering give a PDF, of which no event was published yet. */
  give(document: IssuedDocument, shown: Partial<RenderedPdf>): void {
    const given = { ...firstPdf, ...shown };
    if (given.revision >= this.pdfOf(document.id).revision) {
      this.#pdfs.set(document.id, given);
    }
  }

  /** The latest PDF of a document. */
  pdfOf(documentId: string): RenderedPdf {
    return this.#pdfs.get(documentId) ?? firstPdf;
  }

  /** Issues a document and renders its final PDF, so that its message is due. */
  async issueReady(recipient: string | null, change?: IssueChange): Promise<IssuedDocument> {
    const document = await this.issue(recipient, change);
    await this.render(document);
    return document;
  }

  /** Publishes that it was cancelled, and waits until that is stored. */
  async cancel(document: IssuedDocument): Promise<void> {
    await this.network.publish(documentCancelled, document.id, {
      document,
      business: this.business,
      cancelled_at: this.clock.now.toISOString(),
    });
    await eventually('the cancellation is noted', () =>
      this.database.db
        .selectFrom('document')
        .select('cancelled_at')
        .where('document_id', '=', document.id)
        .where('cancelled_at', 'is not', null)
        .executeTakeFirst(),
    );
  }

  planned(document: IssuedDocument): Promise<DeliveryOutcome> {
    return eventually('the plan is published', () => this.plannedOf(document)[0]);
  }

  plannedOf(document: IssuedDocument): DeliveryOutcome[] {
    return eventsOf(this.#planned, document).map((event) => event.delivery);
  }

  sentOf(document: IssuedDocument): EventOf<typeof messageSent>[] {
    return eventsOf(this.#sent, document);
  }

  failedOf(document: IssuedDocument): EventOf<typeof messageFailed>[] {
    return eventsOf(this.#failed, document);
  }

  rows(document: IssuedDocument): Promise<DeliveryRow[]> {
    return this.database.db
      .selectFrom('delivery')
      .selectAll()
      .where('document_id', '=', document.id)
      .orderBy('purpose')
      .execute();
  }

  /** Every handing over of a document's messages, in order. */
  async attempts(document: IssuedDocument): Promise<Selectable<AttemptTable>[]> {
    const ids = (await this.rows(document)).map(({ id }) => id);
    return this.database.db
      .selectFrom('attempt')
      .selectAll()
      .where('delivery_id', 'in', ids)
      .orderBy('delivery_id')
      .orderBy('n')
      .execute();
  }

  /** Waits until the only message of a document is as the probe wants it. */
  rowWhere(
    document: IssuedDocument,
    what: string,
    probe: (row: DeliveryRow) => boolean,
  ): Promise<DeliveryRow> {
    return eventually(what, async () => {
      const [row] = await this.rows(document);
      return row && probe(row) && row;
    });
  }

  /** Waits until the only message of a document is in a state. */
  inState(document: IssuedDocument, state: DeliveryState): Promise<DeliveryRow> {
    return this.rowWhere(document, `the message is ${state}`, (row) => row.state === state);
  }

  /** Waits until the only message of a document was attempted so often. */
  attempted(document: IssuedDocument, times: number): Promise<DeliveryRow> {
    const what = `the message was attempted ${times} times`;
    return this.rowWhere(document, what, ({ attempts }) => attempts === times);
  }

  async redeliverAll(): Promise<void> {
    await this.redeliver('issuing', 'delivery-due-messages');
    await this.redeliver('issuing', 'delivery-withdraw');
    await this.redeliver('rendering', 'delivery-release');
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.mailbox.kill();
    await this.whatsapp?.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** What is different from a plain document that is to be sent. */
export interface IssueChange {
  document?: Partial<IssuedDocument>;
  business?: Partial<Business>;
  /** The outcome in the response; without one the plan is published in any case. */
  answered?: DeliveryOutcome;
  /** False: issuing publishes nothing, since nothing is to be sent. */
  due?: boolean;
  /** False: its first PDF is final. */
  numberRequired?: boolean;
}

const eventsOf = <E extends { document_id: string }>(events: E[], document: IssuedDocument): E[] =>
  events.filter((event) => event.document_id === document.id);

/** @param parts `whatsapp`: with a WhatsApp to send by; `patience`: how long a provider may be silent, in milliseconds, by default two seconds; `config`: what else is different, given the mailbox and a folder. */
export async function startDelivery<Started extends DeliveryUnderTest = DeliveryUnderTest>(
  {
    whatsapp: withWhatsApp = false,
    patience = 2_000,
    config,
  }: {
    whatsapp?: boolean;
    patience?: number;
    config?: (mailbox: MailboxSimulator, folder: string) => Promise<Partial<DeliveryConfig>>;
  } = {},
  UnderTest: new (
    parts: ServiceParts<DeliveryTables, DeliveryConfig>,
  ) => DeliveryUnderTest = DeliveryUnderTest,
): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), 'pinkas-mailbox-'));
  const mailbox = await startMailboxSimulator(folder);
  const whatsapp = withWhatsApp ? await startWhatsAppSimulator(join(folder, 'whatsapp')) : null;
  const delivery = await startServiceUnderTest(UnderTest, {
    service: { name: 'delivery', module: DeliveryModule, backgroundTasks },
    clock: { now: new Date(noon) },
    migrations,
    config: {
      smtpUrl: mailbox.smtpUrl,
      smtpTls: 'off',
      smtpCaFile: null,
      smtpTimeoutMs: patience,
      mailFrom: 'documents@pinkas.example.com',
      dkimKeys: new Map(),
      messagesPerBusinessAndDay: 5_000,
      testMailboxUrl: mailbox.smtpUrl,
      viewUrlBase: 'https://pinkas.example.com/d',
      pdfUrlBase: 'https://pinkas.example.com/pdf',
      webhookEncryptionKey: Buffer.alloc(32, 7),
      webhookAllow: parseNetworks('127.0.0.1/32'),
      webhookTimeoutMs: 2_000,
      whatsapp: whatsapp && whatsappAccount(whatsapp.url, patience),
      ...(await config?.(mailbox, folder)),
    },
  });
  Object.assign(delivery, { folder, mailbox, whatsapp });
  answerForIssuing(delivery);
  answerForRendering(delivery);
  return delivery as Started;
}
