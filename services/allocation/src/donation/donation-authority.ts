import { Injectable } from '@nestjs/common';
import type { DonationReport } from '@pinkas/domain';
import { InjectConfig } from '@pinkas/service-kit';
import type { ClaimedRow } from '../allocation/allocation.repository.js';
import type { AllocationFacts } from '../allocation/allocation.tables.js';
import type { FailedAttempt } from '../authority/attempt-outcome.js';
import {
  type DonationDocument,
  donationId,
  donationPaths,
  donationRequest,
  type ReportAnswer,
  type ReportedAnswer,
  readFoundReport,
  readReportAnswer,
} from '../authority/donation-interface.js';
import type { AllocationConfig } from '../config.js';
import { AuthorityCalls, readAnswered } from '../connection/authority-calls.js';

/** What the authority has answered to one report. */
export type ReportOutcome = (ReportAnswer & { readonly answer: string }) | FailedAttempt;

/** One report of a receipt. */
export type Report = DonationReport<AllocationFacts['document']['payments'][number]>;

/** The client of the authority's donations interface. */
@Injectable()
export class DonationAuthority {
  constructor(
    @InjectConfig() private readonly config: AllocationConfig,
    private readonly calls: AuthorityCalls,
  ) {}

  /** Sends one report, or its cancellation. Never throws. */
  async report(
    { business_id: businessId, facts: { document, business } }: ClaimedRow,
    report: Report,
    subject: DonationDocument,
    timeoutMs: number,
  ): Promise<ReportOutcome> {
    const { accountingSoftwareNumber } = this.config;
    const request = donationRequest(document, business, report, { subject, accountingSoftwareNumber });
    const called = await this.calls.post(businessId, this.#url(donationPaths.report), request, timeoutMs);
    return called.kind === 'failed'
      ? called
      : readAnswered(called, 'donation', (body) => readReportAnswer(body, request.Donation_ID));
  }

  /** The number that a report, or its cancellation, has where an earlier attempt has sent it. Never throws. */
  async find(
    { business_id: businessId, document_id }: ClaimedRow,
    { index }: Report,
    type: DonationDocument['type'],
    timeoutMs: number,
  ): Promise<(ReportedAnswer & { readonly answer: string }) | 'none' | FailedAttempt> {
    const id = donationId(document_id, index, type);
    const request = { Donation_ID: id };
    const called = await this.calls.post(businessId, this.#url(donationPaths.find), request, timeoutMs);
    if (called.kind === 'failed') {
      return { ...called, outcomeUnknown: true };
    }
    if (called.status === 404) {
      return 'none';
    }
    const found = readAnswered(called, 'donation', (body) => readFoundReport(body, id));
    if (found.kind === 'none') {
      return 'none';
    }
    return found.kind === 'failed' ? { ...found, outcomeUnknown: true } : found;
  }

  #url(path: string): string {
    return `${this.config.donationsUrl}/${path}`;
  }
}
