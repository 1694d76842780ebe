import { type Business, listBusinesses, showBusiness } from '@pinkas/contracts';
import type { Ask, Command } from '../command.js';
import { orMissing, readId } from '../given-values.js';
import { ParkedSteps } from './parked-steps.js';
import { documentsCounted, jsonOf, reportOf } from './report.js';
import { type BusinessProof, verifyBusiness } from './verify-business.js';

/** `pinkas verify` */
export const verifyCommands: readonly Command[] = [
  {
    noun: 'verify',
    verb: null,
    does: 'proves the book: reads everything that is stored, and says what does not hold',
    arguments: [],
    options: { business: { value: 'ID', meaning: 'the book of this business alone' } },
    run: async ({ options }, ask, progress) => {
      const id = options.business === undefined ? undefined : readId(options.business, 'business list');
      const startedMs = performance.now();
      const checkedAt = new Date().toISOString();
      const parked = await ParkedSteps.read(ask);
      const proofs: BusinessProof[] = [];
      let checked = 0;
      const perSecond = () => Math.round(checked / Math.max(0.001, (performance.now() - startedMs) / 1_000));
      for await (const business of businessesOf(ask, id)) {
        const proof = await verifyBusiness(ask, business, parked, (count) => {
          checked += count;
          progress.show(`${documentsCounted(checked)} checked, ${perSecond()} a second: ${business.name}`);
        });
        proofs.push(proof);
      }
      const faulty = proofs.filter(({ faultCount }) => faultCount > 0);
      const faultCount = faulty.reduce((sum, proof) => sum + proof.faultCount, 0);
      const of = proofs.length === 1 ? '1 business' : `${proofs.length} businesses`;
      const summary = `Checked ${documentsCounted(checked)} of ${of}, ${perSecond()} a second`;
      return {
        json: { ok: faulty.length === 0, checked_at: checkedAt, businesses: proofs.map(jsonOf) },
        text: [...proofs.map(reportOf), summary].join('\n\n'),
        ...(faulty.length === 0
          ? {}
          : {
              failure: `${faultCount} ${faultCount === 1 ? 'fault' : 'faults'} in the books of ${faulty.length} of ${of}: the report says what to do, docs/verify.md says more`,
            }),
      };
    },
  },
];

/** One business, or all of them, the oldest first. */
async function* businessesOf(ask: Ask, id: string | undefined): AsyncGenerator<Business> {
  if (id !== undefined) {
    const missing = `No business has the id ${id}: pinkas business list shows them`;
    yield (await orMissing(ask(showBusiness, { business_id: id }), missing)).business;
    return;
  }
  let after: string | null = null;
  do {
    const page: { businesses: Business[]; next_after: string | null } = await ask(
      listBusinesses,
      after === null ? {} : { after },
    );
    yield* page.businesses;
    after = page.next_after;
  } while (after !== null);
}
