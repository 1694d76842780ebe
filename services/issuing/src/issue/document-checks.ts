import { Injectable } from '@nestjs/common';
import type { Business, CreateDocument, Issuer } from '@pinkas/contracts';
import { dayInIsrael, type Totals } from '@pinkas/domain';
import { type Clock, type Database, forTenant, InjectClock, InjectDatabase } from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import {
  checkDueDate,
  checkRequest,
  type RequestChecks,
  totalsOf,
  vatRateOf,
} from '../document/document-rules.js';
import { findSource, type SourceDocument } from '../settle/source-document.js';

/** What is asked for, whether it is issued or only previewed. */
export interface DocumentRequest {
  readonly business: Business;
  readonly issuer: Issuer;
  readonly body: CreateDocument;
}

/** What is known of a document once its request has passed the checks that need neither its customer nor its series. */
export interface CheckedDocument {
  readonly date: string;
  /** The day in Asia/Jerusalem on which it was checked. */
  readonly today: string;
  readonly source: SourceDocument | null;
  /** In percent. */
  readonly vatRate: number;
  readonly totals: Totals;
}

/** The checks of a document before its customer's card and its series, in the order that the HTTP API fixes. */
@Injectable()
export class DocumentChecks {
  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  /** @throws ApiError for the first rule that refuses. */
  async check({ body, business }: DocumentRequest, checks: RequestChecks = {}): Promise<CheckedDocument> {
    const today = dayInIsrael(this.clock.now());
    const date = body.date ?? today;
    checkDueDate(body, date);
    checkRequest(body, business, today, checks);
    const source =
      body.based_on === undefined
        ? null
        : await findSource(forTenant(this.db, business.id), business, body.type, body.based_on);
    const vatRate = vatRateOf(body.type, business, source);
    return { date, today, source, vatRate, totals: totalsOf(body, business, vatRate, checks) };
  }
}
