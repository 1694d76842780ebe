import { Module, type Type } from '@nestjs/common';
import type { BackgroundTask } from '@pinkas/service-kit';
import { GetBookEnd } from './book/get-book-end.js';
import { ReadBook } from './book/read-book.js';
import { RecordExport } from './book/record-export.js';
import { CancelDocument } from './document/cancel-document.js';
import { ClearTestDocuments } from './document/clear-test-documents.js';
import { ClockCheck } from './document/clock-check.js';
import { CustomerCards } from './document/customer-cards.js';
import { DraftRendering } from './document/draft-rendering.js';
import { FindPublicDocument } from './document/find-public-document.js';
import { GetDocument } from './document/get-document.js';
import { HistoryCheck } from './document/history-check.js';
import { IssueDocument } from './document/issue-document.js';
import { IssueOutcomes } from './document/issue-outcomes.js';
import { IssueQueue } from './document/issue-queue.js';
import { IssueTransaction } from './document/issue-transaction.js';
import { IssuingMetrics } from './document/issuing-metrics.js';
import { ListDocuments } from './document/list-documents.js';
import { ListMissingDocuments } from './document/list-missing-documents.js';
import { RecipientChecks } from './document/recipient-checks.js';
import { RecordAllocation } from './document/record-allocation.js';
import { RecordDelivery } from './document/record-delivery.js';
import { ReviewDocuments } from './document/review-documents.js';
import { SummarizeDocuments } from './document/summarize-documents.js';
import { AuditSeries } from './series/audit-series.js';
import { ListSeries } from './series/list-series.js';
import { ListSeriesHeads } from './series/list-series-heads.js';
import { GetUsage } from './usage/get-usage.js';

/** The book of a business: documents, series, daily counts. */
@Module({
  controllers: [
    IssueDocument,
    GetDocument,
    ListDocuments,
    ListMissingDocuments,
    SummarizeDocuments,
    ReviewDocuments,
    CancelDocument,
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
    ClockCheck,
    CustomerCards,
    DraftRendering,
    HistoryCheck,
    IssueOutcomes,
    IssueQueue,
    IssueTransaction,
    IssuingMetrics,
    RecipientChecks,
    RecordAllocation,
    RecordDelivery,
  ],
})
export class IssuingModule {}

/** What runs beside the operations. */
export const backgroundTasks: readonly Type<BackgroundTask>[] = [ClockCheck, HistoryCheck];
