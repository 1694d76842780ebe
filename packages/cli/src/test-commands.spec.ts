import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { clearTestArtifacts, clearTestDocuments, showBusiness } from '@pinkas/contracts';
import type { Call } from './command.js';
import { testCommands } from './test-commands.js';

describe('pinkas test clear', () => {
  const clear = (left: Map<string, number>) => {
    const shown: string[] = [];
    const calls: string[] = [];
    const call = (async ({ subject }) => {
      if (subject === showBusiness.subject) {
        return {};
      }
      calls.push(subject);
      const rows = left.get(subject) ?? 0;
      const deleted = Math.min(rows, 1_000);
      left.set(subject, rows - deleted);
      return { deleted, more: deleted === 1_000 };
    }) as Call;
    const command = testCommands.find(({ verb }) => verb === 'clear');
    const progress = { show: (line: string) => shown.push(line), print: () => {} };
    const input = { arguments: {}, options: { business: randomUUID() } };
    return { shown, calls, output: command?.run(input, call, progress) };
  };

  it('a large book is cleared by several calls of each service, and how far it is is shown', async () => {
    const left = new Map([
      [clearTestDocuments.subject, 2_500],
      [clearTestArtifacts.subject, 1_000],
    ]);
    const { shown, calls, output } = clear(left);
    expect((await output)?.json).toEqual({
      deleted: { documents: 2_500, customers: 0, PDFs: 1_000, allocations: 0, messages: 0 },
    });
    expect(shown.slice(0, 3)).toEqual([
      '1,000 rows of documents deleted',
      '2,000 rows of documents deleted',
      '2,500 rows of documents deleted',
    ]);
    // All documents before anything else, and once more until nothing is found.
    expect(calls.slice(0, 4)).toEqual([
      ...Array.from({ length: 3 }, () => clearTestDocuments.subject),
      expect.not.stringContaining(clearTestDocuments.subject),
    ]);
    expect([...left.values()].every((rows) => rows === 0)).toBe(true);
  });
});
