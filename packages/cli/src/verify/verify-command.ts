import { type Business, listBusinesses } from '@pinkas/contracts';
import { testBook } from '@pinkas/domain';
import {
  BusinessVerification,
  DeadLetteredWork,
  pagesOf,
  type VerificationResult,
} from '@pinkas/exports/verify';
import { verifyPlatform } from '../audit/audit-commands.js';
import { HeadsCollection } from '../audit/heads.js';
import { storedHeads } from '../audit/signed-heads.js';
import { businessId, modeOption } from '../builder/arguments.js';
import { findBusiness } from '../builder/calls.js';
import type { Call, Command } from '../builder/command.js';
import { verb } from '../builder/verb.js';
import { documentsCounted, jsonOf, reportOf } from './report.js';

/** `pinkas verify` */
export const verifyCommands: readonly Command[] = [
  verb('verify', {
    summary: 'verifies the books: reads everything that is stored, and reports every finding',
    options: {
      business: { value: 'ID', meaning: 'only the book of this business', kind: businessId },
      mode: modeOption,
    },
    run: async ({ business: id, mode }, call, progress) => {
      const startedMs = performance.now();
      const checkedAt = new Date().toISOString();
      const deadLetters = await DeadLetteredWork.read(call);
      const source = { name: 'the stored heads', statements: storedHeads(call), businessId: id };
      const heads = await new HeadsCollection(call, source).collect((count) =>
        progress.show(`${count} signed statements checked`),
      );
      const results: VerificationResult[] = [];
      let checked = 0;
      const perSecond = () => Math.round(checked / Math.max(0.001, (performance.now() - startedMs) / 1_000));
      for await (const found of businessesOf(call, id)) {
        const business = mode === 'test' ? { ...testBook(found), name: `${found.name} (test book)` } : found;
        const onDocuments = (count: number) => {
          checked += count;
          progress.show(`${documentsCounted(checked)} checked, ${perSecond()} a second: ${business.name}`);
        };
        const verification = new BusinessVerification(
          call,
          business,
          deadLetters,
          onDocuments,
          undefined,
          heads,
        );
        results.push(await verification.run());
      }
      const platform = [
        ...heads.findings,
        ...(id === undefined ? (await verifyPlatform(call, heads)).findings : []),
      ];
      const of = results.length === 1 ? '1 business' : `${results.length} businesses`;
      const summary = `Checked ${documentsCounted(checked)} of ${of}, ${perSecond()} a second`;
      const failure = failureOf(results, of, platform.length);
      return {
        json: { ok: failure === undefined, checked_at: checkedAt, businesses: results.map(jsonOf), platform },
        text: [
          ...results.map(reportOf),
          ...platform.map(({ message }) => `platform: ${message}`),
          summary,
        ].join('\n\n'),
        ...(failure !== undefined && { failure }),
      };
    },
  }),
];

function failureOf(
  results: readonly VerificationResult[],
  of: string,
  platformCount: number,
): string | undefined {
  const failed = results.filter(({ findingCount }) => findingCount > 0);
  const count = failed.reduce((sum, { findingCount }) => sum + findingCount, platformCount);
  return count === 0
    ? undefined
    : `${count} ${count === 1 ? 'finding' : 'findings'} in the books of ${failed.length} of ${of}: the report says what to do, docs/verify.md says more`;
}

/** One business, or all of them, the oldest first. */
async function* businessesOf(call: Call, id: string | undefined): AsyncGenerator<Business> {
  if (id !== undefined) {
    yield (await findBusiness(call, id)).business;
    return;
  }
  for await (const { businesses } of pagesOf(call, listBusinesses, {})) {
    yield* businesses;
  }
}
