import { isTestBook } from '@pinkas/domain';
import type { ClaimedRow } from '../attempt/allocation.repository.js';
import { DonationAuthority, type Report, type ReportOutcome } from '../attempt/donation-authority.js';
import { type DonationDocument, donationId } from '../authority/donation-interface.js';
import { testReportAnswer } from './test-answer.js';

/** The donations interface of the authority for the receipts of live books, and the product itself for those of test books. */
export class BookDonations extends DonationAuthority {
  override async report(
    row: ClaimedRow,
    report: Report,
    subject: DonationDocument,
    timeoutMs: number,
  ): Promise<ReportOutcome> {
    const { document } = row.facts;
    return isTestBook(row.business_id)
      ? testReportAnswer(document, donationId(document.id, report.index, subject.type), row.attempts)
      : super.report(row, report, subject, timeoutMs);
  }
}
