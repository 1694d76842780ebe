import { Module, type Type } from '@nestjs/common';
import type { BackgroundTask } from '@pinkas/service-kit';
import { AccountOperations } from './account/account-operations.js';
import { BookOperations } from './book/book-operations.js';
import { CancelDocument } from './cancel/cancel-document.js';
import { CheckDocument } from './chain/check-document.js';
import { SeriesOperations } from './chain/series-operations.js';
import { ClockCheck } from './health/clock-check.js';
import { HistoryCheck } from './health/history-check.js';
import { IssuingMetrics } from './health/issuing-metrics.js';
import { SettingsCheck } from './health/settings-check.js';
import { AuthorityThreshold } from './issue/authority-threshold.js';
import { CustomerCards } from './issue/customer-cards.js';
import { DocumentChecks } from './issue/document-checks.js';
import { DraftRendering } from './issue/draft-rendering.js';
import { GroupCommit } from './issue/group-commit.js';
import { IdempotencyKeys } from './issue/idempotency-keys.js';
import { IssueDocument } from './issue/issue-document.js';
import { IssueOutcomes } from './issue/issue-outcomes.js';
import { PreviewDocument } from './issue/preview-document.js';
import { RecipientChecks } from './issue/recipient-checks.js';
import { DocumentOperations } from './list/document-operations.js';
import { SummaryOperations } from './list/summary-operations.js';
import { RecordAllocation } from './outcome/record-allocation.js';
import { RecordDelivery } from './outcome/record-delivery.js';
import { RecordDonation } from './outcome/record-donation.js';
import { ReportDonation } from './outcome/report-donation.js';
import { ListPayments } from './report/list-payments.js';
import { ReportPeriod } from './report/report-period.js';
import { SetOffOperations } from './settle/set-off-operations.js';
import { WithheldOperations } from './settle/withheld-operations.js';
import { ClearTestDocuments } from './test-mode/clear-test-documents.js';

/** The book of a business: documents, series, daily counts. */
@Module({
  controllers: [
    IssueDocument,
    PreviewDocument,
    DocumentOperations,
    SummaryOperations,
    AccountOperations,
    ReportPeriod,
    ListPayments,
    CancelDocument,
    ReportDonation,
    SetOffOperations,
    WithheldOperations,
    SeriesOperations,
    CheckDocument,
    BookOperations,
    ClearTestDocuments,
  ],
  providers: [
    AuthorityThreshold,
    ClockCheck,
    CustomerCards,
    DocumentChecks,
    DraftRendering,
    GroupCommit,
    HistoryCheck,
    IdempotencyKeys,
    IssueOutcomes,
    IssuingMetrics,
    RecipientChecks,
    RecordAllocation,
    RecordDelivery,
    SettingsCheck,
    RecordDonation,
  ],
})
export class IssuingModule {}

/** The background tasks. */
export const backgroundTasks: readonly Type<BackgroundTask>[] = [
  ClockCheck,
  HistoryCheck,
  AuthorityThreshold,
];
