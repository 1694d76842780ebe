import { describe, expect, it } from '@jest/globals';
import { exampleAudits, exampleEntry, exampleSystem } from '../../test/example-book.js';
import { ParkedSteps } from './parked-steps.js';
import { faultsKeptMax, verifyBusiness } from './verify-business.js';

const business = { id: '00000000-0000-4000-8000-000000000000', name: 'עסק לדוגמה', first_numbers: {} };

async function verify(system: ReturnType<typeof exampleSystem>) {
  let counted = 0;
  const parked = await ParkedSteps.read(system.ask);
  const proof = await verifyBusiness(
    system.ask,
    business,
    parked,
    (count) => {
      counted += count;
    },
    0,
  );
  expect(counted).toBe(proof.documents);
  return proof;
}

describe('the proof of a book', () => {
  it('reads every page once where everything holds', async () => {
    const system = exampleSystem(105);
    expect(await verify(system)).toMatchObject({
      documents: 105,
      faults: [],
      faultCount: 0,
      underWay: 0,
      parked: 0,
    });
    for (const subject of ['issuing.book.read', 'rendering.artifact.audit', 'allocation.document.audit']) {
      expect(system.asked.filter((asked) => asked === `rpc.${subject}.v1`)).toHaveLength(6);
    }
  });

  it('holds for a book without a document', async () =>
    expect(await verify(exampleSystem(0))).toMatchObject({
      documents: 0,
      faultCount: 0,
    }));

  it('names what is wrong, wherever in the book it stands', async () => {
    const system = exampleSystem(60);
    const [gone] = system.entries.splice(40, 1);
    const broken = system.entries[50]?.document.id ?? '';
    const audits = system.audits.get(broken);
    if (audits)
      audits.artifact = { ...audits.artifact, faults: [{ fault: 'hash', words: 'its PDF is another' }] };
    const { faults, faultCount } = await verify(system);
    expect(faultCount).toBe(2);
    expect(faults).toEqual([
      expect.objectContaining({
        check: 'numbers',
        number: 42,
        message: `before it number ${gone?.document.number} is missing`,
      }),
      expect.objectContaining({ check: 'pdf', document_id: broken, message: 'its PDF is another' }),
    ]);
  });

  it('takes for no fault what had only just happened when it looked', async () => {
    const system = exampleSystem(25);
    const { document } = system.entries[3] ?? exampleEntry();
    const sound = exampleAudits(document);
    system.audits.set(document.id, {
      ...sound,
      allocation: { ...sound.allocation, number: '987654321' },
      artifact: { ...sound.artifact, owed: ['allocation_number'] },
    });
    let looks = 0;
    system.onAsk = (subject) => {
      // The book is told between the two looks.
      if (subject === 'rpc.rendering.artifact.audit.v1') looks += 1;
      if (looks === 2) system.audits.set(document.id, sound);
    };
    expect(await verify(system)).toMatchObject({ documents: 25, faultCount: 0 });
    expect(looks).toBe(3);
  });

  it('reports a step that was given up where an operator sees it as no fault', async () => {
    const system = exampleSystem(3);
    const [first, second] = system.entries as [
      ReturnType<typeof exampleEntry>,
      ReturnType<typeof exampleEntry>,
    ];
    for (const { document } of [first, second]) {
      const audits = exampleAudits(document);
      system.audits.set(document.id, {
        ...audits,
        delivery: { ...audits.delivery, planned: false, messages: [] },
      });
    }
    system.deadLetters.push({ service: 'delivery', document_id: first.document.id });
    const { parked, faults } = await verify(system);
    expect(parked).toBe(1);
    expect(faults).toMatchObject([{ check: 'steps', document_id: second.document.id }]);
  });

  it('is not there at all where a service does not answer', async () => {
    const system = exampleSystem(90);
    system.onAsk = (subject) => {
      if (subject === 'rpc.delivery.document.audit.v1') throw new Error('nobody answers');
    };
    await expect(verify(system)).rejects.toThrow('nobody answers');
  });

  it('is not there where a service passes a document over', async () => {
    const system = exampleSystem(3);
    system.audits.delete(system.entries[1]?.document.id ?? '');
    await expect(verify(system)).rejects.toThrow('A service said nothing of document');
  });

  it('keeps a bounded number of faults, and counts the others', async () => {
    const system = exampleSystem(faultsKeptMax + 50);
    for (const entry of system.entries)
      entry.source = { id: business.id, type: 'quote', number: 1, date: '2026-06-01' };
    const { faults, faultCount } = await verify(system);
    expect(faults).toHaveLength(faultsKeptMax);
    expect(faultCount).toBe(faultsKeptMax + 50);
  });
});
