import { describe, expect, it } from '@jest/globals';
import type * as client from '@pinkas/client';
import type * as contracts from '@pinkas/contracts';

/** Whether two types take the same values. */
type Same<One, Other> = [One, Other] extends [Other, One] ? true : false;

/** The same with lists that the client only reads. */
type ReadonlyLists<T> = { [K in keyof T]: T[K] extends unknown[] | undefined ? Readonly<T[K]> : T[K] };

/* The compiler refuses this where a type of the client and the schema behind it have come apart. */
const same: [
  Same<client.CreateDocument, ReadonlyLists<contracts.CreateDocument>>,
  Same<client.CancelDocument, contracts.CancelDocument>,
  Same<client.CreatedDocument, contracts.CreatedDocument>,
  Same<client.Document, contracts.CancelledDocument>,
  Same<client.DocumentDetail, contracts.DocumentDetail>,
  Same<client.DocumentPage, contracts.DocumentPage>,
  Same<client.DocumentQuery, contracts.DocumentQuery>,
  Same<client.EventQuery, ReadonlyLists<contracts.EventQuery>>,
  Same<client.EventAllocation, contracts.EventAllocation>,
  Same<client.EventDelivery, contracts.EventDelivery>,
  Same<client.EventConnection, contracts.EventConnection>,
  Same<client.EventType, contracts.EventType>,
  Same<client.Customer, contracts.CustomerCard>,
  Same<client.CustomerQuery, contracts.CustomerQuery>,
  Same<client.Profile, contracts.Profile>,
  Same<client.DocumentTypeEntry, contracts.DocumentTypeEntry>,
  Same<client.ErrorCatalogueEntry, contracts.ErrorCatalogueEntry>,
  Same<client.ErrorCode, contracts.ErrorCode>,
  Same<client.ErrorDetailsOf<'validation_error'>, contracts.ErrorDetailsOf<'validation_error'>>,
  Same<client.ErrorDetailsOf<'total_mismatch'>, contracts.ErrorDetailsOf<'total_mismatch'>>,
] = [
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
];

describe('the types of the client', () => {
  it('every type of the client is the type of the schema behind it', () => {
    expect(new Set(same)).toEqual(new Set([true]));
  });
});
