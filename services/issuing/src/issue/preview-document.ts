import { Controller } from '@nestjs/common';
import {
  type CustomerInput,
  matchCustomer,
  previewDocument,
  type ReplyOf,
  type RequestOf,
  warningMembers,
} from '@pinkas/contracts';
import {
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  Operation,
  RpcClient,
} from '@pinkas/service-kit';
import { allocationOptions, type IssuingConfig } from '../config.js';
import { findById } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import { decideOutcomes } from '../document/known-outcomes.js';
import { readSettling } from '../document/settlement.repository.js';
import { leftToPayOf, settledWith } from '../settle/set-off-rules.js';
import type { SourceDocument } from '../settle/source-document.js';
import { DocumentChecks } from './document-checks.js';
import type { CheckedRequest, DocumentRequest, UnnumberedDocument } from './draft.js';
import { readSeries, seriesOf } from './issue.repository.js';
import { RecipientChecks } from './recipient-checks.js';
import { previewWarnings } from './warnings.js';

type Reply = ReplyOf<typeof previewDocument>;

/** Checks what issuing checks, in its order and by its code, and shows what the document would be. It locks and writes nothing. */
@Controller()
export class PreviewDocument {
  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: IssuingConfig,
    private readonly rpc: RpcClient,
    private readonly checks: DocumentChecks,
    private readonly recipients: RecipientChecks,
  ) {}

  @Operation(previewDocument)
  async handle(sent: RequestOf<typeof previewDocument>): Promise<Reply> {
    const { payments_open: paymentsOpen = false } = sent;
    const checked = await this.checks.check(sent, (id, customer) => this.#match(sent, id, customer), {
      paymentsOpen,
    });
    const { request, totals, today, source, card } = checked;
    const { business, body, issuer } = request;
    await this.#checkWithheld(checked);
    const series = await readSeries(forTenant(this.db, business.id), seriesOf(business, body.type), {
      key_ids: issuer.kind === 'key' ? [issuer.id] : [],
      day: today,
    });
    const document = this.checks.checkInSeries(checked, series, today);
    const recipient = await this.recipients.check(document, business);
    const issued_at = this.clock.now().toISOString();
    const options = allocationOptions(this.config);
    const outcomes = decideOutcomes({ ...document, issued_at }, business, recipient, options);
    const settledSource = source && (await this.#settled(business.id, source));
    return {
      draft: draftOf(document, card.id),
      next_number: series.next_number,
      allocation: { status: outcomes.allocation?.status ?? 'required' },
      delivery: outcomes.delivery,
      matched_by: card.matched_by,
      ...warningMembers(
        previewWarnings({
          ...{ document, body, business, totals, outcomes, today },
          source: settledSource,
        }),
      ),
    };
  }

  /** The customer's card with its id; a new one has an id once it is reserved, which nothing here is. */
  async #match({ business }: DocumentRequest, documentId: string, sent: CustomerInput) {
    const request = { business_id: business.id, customer: sent };
    const { customer, ...card } = await this.rpc.call(matchCustomer, request);
    return { ...card, id: customer.id, customer: { ...customer, id: customer.id ?? documentId } };
  }

  /** What is withheld is checked against what is left to pay now; issuing checks it again, under the locks. */
  async #checkWithheld({ document, request, source }: CheckedRequest<DocumentRequest>): Promise<void> {
    const { business, body, withheld } = request;
    if (withheld === undefined) {
      return;
    }
    const ids = new Set(withheld.amounts.map(({ document_id }) => document_id.toLowerCase()));
    const db = forTenant(this.db, business.id);
    const found = source
      ? [source.row]
      : await Promise.all([...ids].map((id) => findById(db, business.id, id)));
    const rows = found.filter((row) => row !== undefined);
    const documents = new Map(rows.map((row) => [row.id, row]));
    settledWith({ document, request: { body, withheld } }, documents, leftToPayOf(documents));
  }

  async #settled(businessId: string, { row }: SourceDocument) {
    const settling = (await readSettling(forTenant(this.db, businessId), businessId, [row.id])).get(row.id);
    return settling ? { row, settling } : null;
  }
}

/** The document without what it gets when it is issued. */
function draftOf(document: UnnumberedDocument, customerId: string | null): Reply['draft'] {
  const { id: _id, public_id: _publicId, ...draft } = document;
  return { ...draft, customer: { ...document.customer, id: customerId } };
}
