import { setTimeout as pass } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { DocumentType } from '@pinkas/domain';
import { eventually } from '@pinkas/testkit';
import type { Issuer, RunningStack } from './running-stack.js';

interface BookRow {
  id: string;
  business_id: string;
  type: string;
  number: number;
  dated_on: string;
  issued_at: Date;
  idempotency_key: string;
  artifact_sha256: string;
}

/** Between two verifications: each reads every PDF of the books. */
const firstVerifyPauseMs = 250;
const longestVerifyPauseMs = 4_000;

/** A key that a caller sent, and the document of the 201 that it got. */
export interface ObservedDocument {
  key: string;
  id: string;
  number: number;
  total: number;
}

/**
 * Holds the book of one business against what its callers saw: numbers without gap or double, dates and instants that
 * never fall, every 201 readable for good, one document a key, and one stored PDF with the book's hash.
 */
export async function expectConsistentBook(
  stack: RunningStack,
  issuer: { business: { id: string }; key: string },
  type: DocumentType,
  seen: readonly ObservedDocument[],
): Promise<void> {
  const db = await stack.database<{ document: BookRow }>('issuing');
  const rendering = await stack.database<{
    artifact: { document_id: string; revision: number; sha256: Buffer };
  }>('rendering');
  const rows = await db
    .selectFrom('document')
    .select(['id', 'number', 'dated_on', 'issued_at', 'idempotency_key', 'artifact_sha256'])
    .where('business_id', '=', issuer.business.id)
    .where('type', '=', type)
    .orderBy('number')
    .execute();
  expect(rows.map((row) => row.number)).toEqual(rows.map((_, index) => index + 1));
  for (const [index, row] of rows.entries()) {
    const before = rows[index - 1];
    if (!before) {
      continue;
    }
    expect(row.dated_on >= before.dated_on).toBe(true);
    expect(row.issued_at.getTime()).toBeGreaterThanOrEqual(before.issued_at.getTime());
  }
  const client = await stack.client(issuer.key);
  for (const one of seen) {
    const row = rows.find((candidate) => candidate.id === one.id);
    expect(row).toMatchObject({ number: one.number, idempotency_key: one.key });
    expect(await client.getDocument(one.id)).toMatchObject({
      id: one.id,
      number: one.number,
      totals: { total: one.total },
    });
  }
  const artifacts = await rendering
    .selectFrom('artifact')
    .select(['document_id', 'sha256'])
    .where('revision', '=', 1)
    .where(
      'document_id',
      'in',
      rows.length > 0 ? rows.map((row) => row.id) : ['00000000-0000-0000-0000-000000000000'],
    )
    .execute();
  expect(artifacts).toHaveLength(rows.length);
  for (const row of rows) {
    expect(artifacts.find((artifact) => artifact.document_id === row.id)?.sha256.toString('hex')).toBe(
      row.artifact_sha256,
    );
  }
}

/**
 * Waits until no step is under way any more, and expects that `pinkas verify` finds nothing wrong and nothing dead-lettered.
 * @param issuer looks at the book of this business alone: every PDF of a book is read.
 */
export async function expectVerified(stack: RunningStack, issuer?: Issuer): Promise<void> {
  let pauseMs = 0;
  const report = await eventually(
    'nothing is under way',
    async () => {
      await pass(pauseMs);
      pauseMs = Math.min(pauseMs * 2 || firstVerifyPauseMs, longestVerifyPauseMs);
      const found = await stack.verify(issuer);
      const findings = found.businesses.some((business) => business.findings.length > 0);
      return findings || found.businesses.every((business) => business.pending === 0) ? found : undefined;
    },
    120_000,
  );
  expect(report.businesses.flatMap((business) => business.findings)).toEqual([]);
  expect(report.ok).toBe(true);
  expect(report.businesses.every((business) => business.dead_lettered === 0)).toBe(true);
}
