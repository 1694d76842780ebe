import Type from 'typebox';
import { defineContract, type ServiceName } from './define.js';
import { Strict, TestBookId } from './schema/fields.js';
import { timeLimitsMs } from './time-limits.js';

/** Deletes everything that a service has of a test book, or some of a large one; a live book is refused. */
export const defineTestBookClear = (service: ServiceName) =>
  defineContract(`${service}.test_book.clear`, {
    request: Strict({ business_id: TestBookId }),
    reply: Strict({
      /** How many rows were deleted. */
      deleted: Type.Integer({ minimum: 0 }),
      /** Whether there may be more, for another call. */
      more: Type.Boolean(),
    }),
    errors: ['validation_error'],
    timeoutMs: timeLimitsMs.operatorCall,
  });
