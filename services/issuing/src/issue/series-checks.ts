import { Injectable } from '@nestjs/common';
import type { PaymentTerms } from '@pinkas/domain';
import { ApiError, InjectLogger, type Logger } from '@pinkas/service-kit';
import { checkDueDate, checkSeriesDate, defaultDate } from '../document/document-rules.js';
import { IssuingMetrics } from '../health/issuing-metrics.js';
import type { DocumentRequest } from './document-checks.js';
import { type UnnumberedDocument, withDate } from './draft.js';
import type { SeriesState } from './issue.repository.js';

/** The checks of a document that depend on its series and on the day. */
@Injectable()
export class SeriesChecks {
  constructor(
    private readonly metrics: IssuingMetrics,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  /**
   * @returns the document with the date that it gets in the series.
   * @throws ApiError `daily_limit_reached`, `date_before_last_document`; `validation_error` for a due date before the date.
   */
  check(
    document: UnnumberedDocument,
    { body, terms, issuer }: DocumentRequest & { readonly terms: PaymentTerms },
    series: SeriesState,
    today: string,
  ): UnnumberedDocument {
    // Midnight may have passed since the draft was made, and a date that the caller did not send must not be refused.
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
