import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { clearTestArtifacts, clearTestDocuments, showBusiness } from '@pinkas/contracts';
import { run } from '../../test/run.js';

describe('pinkas test clear', () => {
  const clear = (left: Map<string, number>) =>
    run('test clear', { business: randomUUID() }, ({ subject }) => {
      if (subject === showBusiness.subject) {
        return {};
      }
      const rows = left.get(subject) ?? 0;
      const deleted = Math.min(rows, 1_000);
      left.set(subject, rows - deleted);
      return { deleted, more: deleted === 1_000 };
    });

  it('a large book is cleared by several calls of each service, and how far it is is shown', async () => {
    const left = new Map([
      [clearTestDocuments.subject, 2_500],
      [clearTestArtifacts.subject, 1_000],
    ]);
    const { shown, subjects, output } = clear(left);
    expect((await output).json).toEqual({
      deleted: { documents: 2_500, customers: 0, PDFs: 1_000, allocations: 0, messages: 0 },
    });
    expect(shown.slice(0, 3)).toEqual([
      '1,000 rows of documents deleted',
      '2,000 rows of documents deleted',
      '2,500 rows of documents deleted',
    ]);
    // All documents before anything else, and once more until nothing is found.
    expect(subjects.slice(1, 5)).toEqual([
      ...Array.from({ length: 3 }, () => clearTestDocuments.subject),
      expect.not.stringContaining(clearTestDocuments.subject),
    ]);
    expect([...left.values()].every((rows) => rows === 0)).toBe(true);
  });
});
