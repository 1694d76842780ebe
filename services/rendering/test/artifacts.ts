import {
  type AllocationOutcome,
  allocationSettled,
  artifactRendered,
  type DonationOutcome,
  donationSettled,
  type EventOf,
  getArtifact,
  type IssuedDocument,
  releaseArtifact,
} from '@pinkas/contracts';
import type { RefusalDecision } from '@pinkas/domain';
import { eventually, type Simulator, startFaultyRenderer } from '@pinkas/testkit';
import type { RenderingConfig } from '../src/config.js';
import { type RenderingUnderTest, startRendering } from './rendering.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

export const allocationNumber = '987654321';
export const issued: AllocationOutcome = { status: 'issued', number: allocationNumber, reason: null };
export const notRequired: AllocationOutcome = { status: 'not_required', number: null, reason: 'below' };
/** Of a document above the threshold. */
export const largeTotals = {
  subtotal: 6000,
  discount: 0,
  vat: 1080,
  vat_rate: 18,
  total: 7080,
  currency: 'ILS',
} as const;
export const failed: AllocationOutcome = { status: 'failed', number: null, reason: 'no answer' };

/** The artifacts of one business in a rendering service over a renderer that a test may slow down or make fail. */
export class Artifacts {
  readonly business = sampleBusiness();
  readonly #published: EventOf<typeof artifactRendered>[];

  private constructor(
    readonly gotenberg: Simulator,
    readonly rendering: RenderingUnderTest,
  ) {
    this.#published = rendering.network.collect(artifactRendered);
  }

  static async start(change: Partial<RenderingConfig> = {}): Promise<Artifacts> {
    const gotenberg = await startFaultyRenderer();
    try {
      return new Artifacts(gotenberg, await startRendering({ gotenbergUrl: gotenberg.url, ...change }));
    } catch (error) {
      await gotenberg.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.rendering.stop();
    await this.gotenberg.stop();
  }

  /** Renders the first PDF of a document that needs an allocation number. */
  renderLarge() {
    return this.render(sampleDocument('tax_invoice', this.business, { totals: largeTotals, discount: null }));
  }

  /** Renders the first PDF of a document, by default of a new tax invoice. */
  async render(document = sampleDocument('tax_invoice', this.business)) {
    const { business } = this;
    const made = await this.rendering.render({ document, business, attempt: 1 });
    return { document, ...made };
  }

  keyOf(document: IssuedDocument) {
    return { business_id: this.business.id, document_id: document.id };
  }

  /** Publishes the outcome of a document's allocation. @param pending whether another attempt follows. */
  async settle(
    document: IssuedDocument,
    allocation: AllocationOutcome,
    messageId?: string,
    pending = false,
  ): Promise<void> {
    const { business } = this;
    const [first] = await this.rows(document);
    const artifact_sha256 = first?.sha256.toString('hex') ?? 'ab'.repeat(32);
    const body = { document, business, allocation, pending, artifact_sha256 };
    return this.rendering.network.publish(allocationSettled, document.id, body, messageId);
  }

  /** Publishes that the number of a document was refused, and what its owner has decided. */
  async refuse(document: IssuedDocument, decision: RefusalDecision | null): Promise<void> {
    const { business } = this;
    const [first] = await this.rows(document);
    const artifact_sha256 = first?.sha256.toString('hex') ?? 'ab'.repeat(32);
    const allocation = { status: 'failed', number: null, reason: 'refused: 460 no' } as const;
    const refusal = { refused: true, refusal: { decision } };
    const body = { document, business, allocation, pending: false, ...refusal, artifact_sha256 };
    return this.rendering.network.publish(allocationSettled, document.id, body);
  }

  /** Publishes the outcome of the report of a donation. */
  async settleDonation(document: IssuedDocument, donation: DonationOutcome): Promise<void> {
    const { business } = this;
    const [first] = await this.rows(document);
    const artifact_sha256 = first?.sha256.toString('hex') ?? 'ab'.repeat(32);
    const body = { document, business, donation, artifact_sha256 };
    return this.rendering.network.publish(donationSettled, document.id, body);
  }

  /** Does what delivery does before it sends a message to the customer. */
  release(document: IssuedDocument) {
    return this.rendering.network.call(releaseArtifact, this.keyOf(document));
  }

  async latest(document: IssuedDocument) {
    const { pdf, ...rest } = await this.rendering.network.call(getArtifact, this.keyOf(document));
    return { ...rest, pdf: Buffer.from(pdf, 'base64') };
  }

  /** @returns the latest revision, when it is this one. */
  revision(document: IssuedDocument, revision: number) {
    return eventually(`revision ${revision}`, async () => {
      const found = await this.latest(document);
      return found.revision === revision && found;
    });
  }

  publishedFor(document: IssuedDocument): EventOf<typeof artifactRendered>[] {
    return this.#published.filter((event) => event.document_id === document.id);
  }

  /** @returns the event about the document with this ordinal number. */
  published(document: IssuedDocument, ordinal = 1): Promise<EventOf<typeof artifactRendered>> {
    return eventually(`event ${ordinal} about the document is published`, () => {
      return this.publishedFor(document)[ordinal - 1];
    });
  }

  rows(document: IssuedDocument) {
    return this.rendering.database.db
      .selectFrom('artifact')
      .select(['revision', 'sha256', 'published_at', 'cancelled_at', 'cancel_reason', 'allocation_number'])
      .where('document_id', '=', document.id)
      .orderBy('revision')
      .execute();
  }

  handled(messageId: string) {
    return eventually('the event is handled', () =>
      this.rendering.database.db
        .selectFrom('inbox')
        .select('handled_at')
        .where('message_id', '=', messageId)
        .executeTakeFirst(),
    );
  }
}
