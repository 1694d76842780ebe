import Type, { type Static } from 'typebox';
import { defineContract } from '../define.js';
import { Instant, Nullable, Strict, TestBookId, Uuid } from '../schema/fields.js';
import { defineTestBookClear } from '../test-book.js';
import { allocationStates } from './allocation.js';

export const clearTestAllocations = defineTestBookClear('allocation');

/** The end of a page of test requests. */
const TestRequestPosition = Strict({ decided_at: Instant, document_id: Uuid });

/** A document of a test book whose allocation number was requested from no one but the simulation. */
export const TestRequest = Strict({
  document_id: Uuid,
  state: Type.Enum([...allocationStates]),
  number: Nullable(Type.String()),
  /** Why it has none. */
  reason: Nullable(Type.String()),
  attempts: Type.Integer({ minimum: 0 }),
  decided_at: Instant,
});
export type TestRequest = Static<typeof TestRequest>;

/** The requests for allocation numbers of a test book, the latest first, a page at a time. */
export const listTestRequests = defineContract('allocation.test_request.list', {
  request: Strict({ business_id: TestBookId, after: Type.Optional(TestRequestPosition) }),
  reply: Strict({
    requests: Type.Array(TestRequest),
    /** The `after` of the next page; null on the last one. */
    next_after: Nullable(TestRequestPosition),
  }),
});
