import { Module } from '@nestjs/common';
import { ReadBook } from './book/read-book.js';
import { CancelDocument } from './document/cancel-document.js';
import { CreationOutcomesWait } from './document/creation-outcomes.js';
import { CustomerCards } from './document/customer-cards.js';
import { FindPublicDocument } from './document/find-public-document.js';
import { GetDocument } from './document/get-document.js';
import { IssueDocument } from './document/issue-document.js';
import { IssuingMetrics } from './document/issuing-metrics.js';
import { ListDocuments } from './document/list-documents.js';
import { RecordAllocation } from './document/record-allocation.js';
import { RecordDelivery } from './document/record-delivery.js';
import { ListSeries } from './series/list-series.js';
import { GetUsage } from './usage/get-usage.js';

/** The book: documents, series, daily counts. */
@Module({
  controllers: [
    IssueDocument,
    GetDocument,
    ListDocuments,
    CancelDocument,
    FindPublicDocument,
    ListSeries,
    ReadBook,
    GetUsage,
  ],
  providers: [CreationOutcomesWait, CustomerCards, IssuingMetrics, RecordAllocation, RecordDelivery],
})
export class IssuingModule {}
