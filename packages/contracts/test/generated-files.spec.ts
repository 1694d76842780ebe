import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import {
  breakingRecordChanges,
  generatedFiles,
  repositoryRoot,
  type WireRecord,
  wirePath,
  wireRecord,
} from '@pinkas/contracts/generate';

const read = (path: string) => readFile(new URL(path, repositoryRoot), 'utf8');

describe('the generated files', () => {
  it.each(generatedFiles)('$path is what `npm run generate` writes', async ({ path, text }) => {
    const current = await read(path);
    expect(current).toBe(text(current));
  });
});

describe('the wire record', () => {
  it('the schemas in the code are compatible with the recorded release', async () => {
    expect(breakingRecordChanges(JSON.parse(await read(wirePath)) as WireRecord, wireRecord())).toEqual([]);
  });

  it('a breaking change inside a shared definition is found in every subject that uses it', () => {
    const before = wireRecord();
    const business = before.$defs.Business as { properties: Record<string, unknown> };
    const { name: _removed, ...properties } = business.properties;
    const after = { ...before, $defs: { ...before.$defs, Business: { ...business, properties } } };
    const changes = breakingRecordChanges(before, after);
    expect(changes).toContain(
      'evt.issuing.number.required.v1 body/business/name is gone: the release before still reads it',
    );
    expect(changes.length).toBeGreaterThan(5);
  });
});
