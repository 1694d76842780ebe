import { Module, type Type } from '@nestjs/common';
import type { BackgroundTask } from '@pinkas/service-kit';
import { ListDebtors } from './account/list-debtors.js';
import { ListDebts } from './account/list-debts.js';
import { ListTopCustomers } from './account/list-top-customers.js';
import { ReadStatement } from './account/read-statement.js';
import { SummarizeDebts } from './account/summarize-debts.js';
import { GetBookEnd } from './book/get-book-end.js';
import { ReadBook } from './book/read-book.js';
import { RecordExport } from './book/record-export.js';
import { CancelDocument } from './cancel/cancel-document.js';
import { AuditSeries } from './chain/audit-series.js';
import { ListSeriesHeads } from './chain/list-series-heads.js';
import { ClockCheck } from './health/clock-check.js';
import { HistoryCheck } from './health/history-check.js';
import { IssuingMetrics } from './health/issuing-metrics.js';
import { AuthorityThreshold } from './issue/authority-threshold.js';
import { CustomerCards } from './issue/customer-cards.js';
import { DocumentChecks } from './issue/document-checks.js';
import { DraftRendering } from './issue/draft-rendering.js';
import { IssueDocument } from './issue/issue-document.js';
import { IssueOutcomes } from './issue/issue-outcomes.js';
import { IssueQueue } from './issue/issue-queue.js';
import { IssueTransaction } from './issue/issue-transaction.js';
import { PreviewDocument } from './issue/preview-document.js';
import { RecipientChecks } from './issue/recipient-checks.js';
import { RecordAllocation } from './issue/record-allocation.js';
import { RecordDelivery } from './issue/record-delivery.js';
import { RecordDonation } from './issue/record-donation.js';
import { ReportDonation } from './issue/report-donation.js';
import { SeriesChecks } from './issue/series-checks.js';
import { FindPublicDocument } from './list/find-public-document.js';
import { GetDocument } from './list/get-document.js';
import { GetDocumentFacts } from './list/get-document-facts.js';
import { GetUsage } from './list/get-usage.js';
import { ListArticles } from './list/list-articles.js';
import { ListDocuments } from './list/list-documents.js';
import { ListMissingDocuments } from './list/list-missing-documents.js';
import { ListSeries } from './list/list-series.js';
import { ReviewDocuments } from './list/review-documents.js';
import { SumDocuments } from './list/sum-documents.js';
import { SummarizeDocuments } from './list/summarize-documents.js';
import { SummarizeMonths } from './list/summarize-months.js';
import { ListPayments } from './report/list-payments.js';
import { ReportPeriod } from './report/report-period.js';
import { ClearTestDocuments } from './test-mode/clear-test-documents.js';

/** The book of a business: documents, series, daily counts. */
@Module({
  controllers: [
    IssueDocument,
    PreviewDocument,
    GetDocument,
    GetDocumentFacts,
    ListArticles,
    ListDocuments,
    ListMissingDocuments,
    SummarizeDocuments,
    SumDocuments,
    ListTopCustomers,
    SummarizeMonths,
    ReviewDocuments,
    SummarizeDebts,
    ListDebtors,
    ListDebts,
    ReadStatement,
    ReportPeriod,
    ListPayments,
    CancelDocument,
    ReportDonation,
    FindPublicDocument,
    ListSeries,
    AuditSeries,
    ListSeriesHeads,
    ReadBook,
    GetBookEnd,
    RecordExport,
    GetUsage,
    ClearTestDocuments,
  ],
  providers: [
    AuthorityThreshold,
    ClockCheck,
    CustomerCards,
    DocumentChecks,
    DraftRendering,
    HistoryCheck,
    IssueOutcomes,
    IssueQueue,
    IssueTransaction,
    IssuingMetrics,
    RecipientChecks,
    RecordAllocation,
    RecordDelivery,
    SeriesChecks,
    RecordDonation,
  ],
})
export class IssuingModule {}

/** What runs beside the operations. */
export const backgroundTasks: readonly Type<BackgroundTask>[] = [
  ClockCheck,
  HistoryCheck,
  AuthorityThreshold,
];
