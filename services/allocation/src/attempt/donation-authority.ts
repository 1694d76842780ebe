import { Injectable } from '@nestjs/common';
import type { DonationReport } from '@pinkas/domain';
import { type Database, forTenant, InjectConfig, InjectDatabase } from '@pinkas/service-kit';
import type { FailedAttempt } from '../authority/attempt-outcome.js';
import { AuthorityCalls } from '../authority/authority-calls.js';
import {
  type DonationDocument,
  donationId,
  donationRequest,
  isRefusedReport,
  type ReportAnswer,
  readReportAnswer,
  reportPath,
} from '../authority/donation-interface.js';
import type { AllocationConfig } from '../config.js';
import type { AllocationFacts, AllocationTables } from '../db/allocation.tables.js';
import type { ClaimedRow } from './allocation.repository.js';
import { storeReportRequest } from './donation.repository.js';

/** The authority's answer to one report. */
export type ReportOutcome = (ReportAnswer & { readonly answer: string }) | FailedAttempt;

/** One report of a receipt. */
export type Report = DonationReport<AllocationFacts['document']['payments'][number]>;

/** The client of the authority's donations interface. */
@Injectable()
export class DonationAuthority {
  constructor(
    @InjectConfig() private readonly config: AllocationConfig,
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    private readonly calls: AuthorityCalls,
  ) {}

  /**
   * Sends one report, or its cancellation, under an id that stays the same: a report that may have arrived is repeated with the same bytes.
   * Never throws.
   */
  async report(
    row: ClaimedRow,
    report: Report,
    subject: DonationDocument,
    timeoutMs: number,
  ): Promise<ReportOutcome> {
    const { document } = row.facts;
    const id = donationId(document.id, report.index, subject.type);
    const called = await this.calls.post(
      row.business_id,
      `${this.config.donationsUrl}/${reportPath}`,
      await this.#body(row, report, subject),
      { timeoutMs },
    );
    const about = { kind: 'donation', date: document.date } as const;
    if (called.kind === 'failed') {
      return called;
    }
    // A decision has the status 200 with allocation numbers; which one here is not published.
    const answer =
      called.status === 400 && isRefusedReport(called.body) ? { ...called, status: 200 } : called;
    return this.calls.read(answer, about, (body) => readReportAnswer(body, id));
  }

  async #body(row: ClaimedRow, report: Report, subject: DonationDocument): Promise<string> {
    const { document, business } = row.facts;
    const { accountingSoftwareNumber } = this.config;
    const request = donationRequest(document, business, report, { subject, accountingSoftwareNumber });
    const body = JSON.stringify(request);
    return subject.type === 'cancellation'
      ? body
      : storeReportRequest(forTenant(this.db, row.business_id), row, report.index, body);
  }
}
