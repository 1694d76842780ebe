import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { serviceNames } from '@pinkas/contracts';
import { type WireSchemas, wireFaults, wireFile, wireSchemas, wireText } from '@pinkas/contracts/wire';

describe.each(serviceNames)('what %s says on the wire', (service) => {
  const current = wireSchemas()[service];
  const kept = async () => readFile(wireFile(service), 'utf8');

  it('is understood by the release before, and understands it', async () => {
    expect(wireFaults(JSON.parse(await kept()) as WireSchemas, current)).toEqual([]);
  });

  it('is kept in the repository as it is; otherwise: npm run wire -w @pinkas/contracts', async () => {
    expect(await kept()).toBe(wireText(current));
  });
});
