import { Injectable } from '@nestjs/common';
import type { CustomerInput, CustomerSnapshot } from '@pinkas/contracts';
import { dayInIsrael, type PaymentTerms, storedTexts } from '@pinkas/domain';
import {
  ApiError,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
  timeOrderedId,
} from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import {
  checkDueDate,
  checkRequest,
  checkSeriesDate,
  defaultDate,
  type RequestChecks,
  termsOf,
  totalsOf,
  vatRateOf,
} from '../document/document-rules.js';
import { IssuingMetrics } from '../health/issuing-metrics.js';
import { findSource } from '../settle/source-document.js';
import { AuthorityThreshold } from './authority-threshold.js';
import {
  type CheckedRequest,
  type DocumentRequest,
  type UnnumberedDocument,
  unnumberedDocument,
  withDate,
} from './draft.js';
import type { SeriesState } from './issue.repository.js';

/** The card of a document's customer. */
interface Card {
  readonly customer: CustomerSnapshot;
  readonly payment_terms?: PaymentTerms | undefined;
}

/** The checks of a document, in the order that the HTTP API fixes, whether it is issued or only previewed. */
@Injectable()
export class DocumentChecks {
  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly threshold: AuthorityThreshold,
    private readonly metrics: IssuingMetrics,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  /**
   * Decides everything that does not depend on the series.
   * @param resolveCard gets the customer's card for the document's id; last, so that every refusal comes before a reservation.
   * @throws ApiError for the first rule that refuses.
   */
  async check<Request extends DocumentRequest, CustomerCard extends Card>(
    sent: Request,
    resolveCard: (documentId: string, customer: CustomerInput) => Promise<CustomerCard>,
    checks: RequestChecks = {},
  ): Promise<CheckedRequest<Request> & { card: CustomerCard }> {
    const business = this.threshold.appliedTo(sent.business);
    const body = storedTexts(sent.body);
    const today = dayInIsrael(this.clock.now());
    const date = body.date ?? today;
    checkDueDate(body, date);
    checkRequest(body, business, today, checks);
    const source =
      body.based_on === undefined
        ? null
        : await findSource(forTenant(this.db, business.id), business, body.type, body.based_on);
    const vatRate = vatRateOf(body.type, business, source);
    const totals = totalsOf(body, business, vatRate, checks);
    const id = timeOrderedId();
    const card = await resolveCard(id, body.customer);
    const terms = termsOf(business, card.payment_terms);
    const { customer } = card;
    const { withheld } = sent;
    const document = unnumberedDocument({
      ...{ id, body, business, date, vatRate, totals, customer, terms, withheld },
      source: source?.reference ?? null,
    });
    return { request: { ...sent, business, body }, document, totals, terms, today, source, card };
  }

  /**
   * Checks what depends on the series and on the day.
   * @returns the document with the date that it gets in the series.
   * @throws ApiError `daily_limit_reached`, `date_before_last_document`; `validation_error` for a due date before the date.
   */
  checkInSeries(
    { document, request: { body, issuer }, terms }: CheckedRequest<DocumentRequest>,
    series: SeriesState,
    today: string,
  ): UnnumberedDocument {
    // Midnight may have passed since the request was checked, and a date that the caller did not send must not be refused.
    const date = body.date ?? this.#defaultDate(series, today);
    if (date !== document.date) {
      checkDueDate(body, date);
    }
    if (issuer.kind === 'key' && (series.issuedToday.get(issuer.id) ?? 0) >= issuer.daily_documents) {
      throw new ApiError('daily_limit_reached');
    }
    checkSeriesDate(date, series.last_date);
    return date === document.date ? document : withDate(document, body, terms, date);
  }

  /** @throws ApiError `date_before_last_document` where the series' last date is too far ahead to be given unasked. */
  #defaultDate(series: SeriesState, today: string): string {
    const date = defaultDate(today, series.last_date);
    if (date === null) {
      const { business_id, type, last_date } = series;
      this.metrics.countSeriesAhead();
      this.logger.error({ business_id, type, last_date, today }, 'series ahead of today');
      throw new ApiError('date_before_last_document', { details: { last_document_date: last_date } });
    }
    return date;
  }
}
