import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import type * as client from '@pinkas/client';
import type * as contracts from '@pinkas/contracts';
import { typeScriptTypes } from '@pinkas/contracts/openapi';

/** Whether two types take the same values. */
type Same<One, Other> = [One, Other] extends [Other, One] ? true : false;

/* The compiler refuses this where a type of the client and the schema behind it have come apart. */
const same: [
  Same<client.CreateDocument, contracts.CreateDocument>,
  Same<client.CancelDocument, contracts.CancelDocument>,
  Same<client.CreatedDocument, contracts.CreatedDocument>,
  Same<client.Document, contracts.CancelledDocument>,
  Same<client.DocumentDetail, contracts.DocumentDetail>,
  Same<client.DocumentPage, contracts.DocumentPage>,
  Same<client.DocumentQuery, contracts.DocumentQuery>,
  Same<client.Customer, contracts.CustomerCard>,
  Same<client.CustomerQuery, contracts.CustomerQuery>,
  Same<client.Profile, contracts.Profile>,
  Same<client.DocumentTypeEntry, contracts.DocumentTypeEntry>,
  Same<client.ErrorCatalogueEntry, contracts.ErrorCatalogueEntry>,
  Same<client.ErrorCode, contracts.ErrorCode>,
  Same<client.ErrorDetailsOf<'validation_error'>, contracts.ErrorDetailsOf<'validation_error'>>,
  Same<client.ErrorDetailsOf<'total_mismatch'>, contracts.ErrorDetailsOf<'total_mismatch'>>,
] = [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true];

describe('the types of the client', () => {
  it('are those of the schemas: else run npm run types -w @pinkas/client', async () => {
    const file = new URL('../src/types.ts', import.meta.url);
    expect(await readFile(file, 'utf8')).toBe(typeScriptTypes());
    expect(new Set(same)).toEqual(new Set([true]));
  });
});
