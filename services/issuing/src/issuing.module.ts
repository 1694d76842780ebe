import { Module } from '@nestjs/common';
import { CreationOutcomesWait } from './document/creation-outcomes.js';
import { FindPublicDocument } from './document/find-public-document.js';
import { GetDocument } from './document/get-document.js';
import { IssueDocument } from './document/issue-document.js';
import { RecordAllocation } from './document/record-allocation.js';
import { RecordDelivery } from './document/record-delivery.js';
import { ListSeries } from './series/list-series.js';
import { GetUsage } from './usage/get-usage.js';

/** The book: documents, series, daily counts. */
@Module({
  controllers: [IssueDocument, GetDocument, FindPublicDocument, ListSeries, GetUsage],
  providers: [CreationOutcomesWait, RecordAllocation, RecordDelivery],
})
export class IssuingModule {}
