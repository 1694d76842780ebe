import { describe, expect, it } from '@jest/globals';
import { exampleAudits, exampleEntry, exampleSystem } from '../../test/example-book.js';
import { type BookMark, BusinessVerification, findingsMax } from './business-verification.js';
import { DeadLetteredWork } from './dead-lettered-work.js';

const business = { id: '00000000-0000-4000-8000-000000000000', name: 'עסק לדוגמה', first_numbers: {} };

async function verify(system: ReturnType<typeof exampleSystem>) {
  let counted = 0;
  const deadLetters = await DeadLetteredWork.read(system.call);
  const onDocuments = (count: number) => {
    counted += count;
  };
  const result = await new BusinessVerification(system.call, business, deadLetters, onDocuments, 0).run();
  expect(counted).toBe(result.documents);
  return result;
}

describe('BusinessVerification', () => {
  it('a sound book is read once', async () => {
    const system = exampleSystem(105);
    expect(await verify(system)).toMatchObject({
      documents: 105,
      findings: [],
      findingCount: 0,
      pending: 0,
      deadLettered: 0,
    });
    for (const subject of [
      'issuing.book.read',
      'customer.card.audit',
      'rendering.artifact.audit',
      'allocation.document.audit',
    ]) {
      expect(system.subjects.filter((called) => called === `rpc.${subject}.v1`)).toHaveLength(6);
    }
  });

  it('an invoice that is paid in part is noted, and is no finding', async () => {
    const system = exampleSystem(2);
    const [entry] = system.entries;
    Object.assign(entry?.state ?? {}, { status: 'closed', paid: 80 });
    Object.assign(entry ?? {}, { received: 80 });
    expect(await verify(system)).toMatchObject({
      findingCount: 0,
      noteCount: 1,
      notes: [{ note: 'partly_paid', number: 1 }],
    });
  });

  it('a type that begins between two parts, before the place where the second begins, is no finding', async () => {
    const system = exampleSystem(60);
    const deadLetters = await DeadLetteredWork.read(system.call);
    const verifyFrom = (from: BookMark | null) =>
      new BusinessVerification(system.call, business, deadLetters, () => {}, 0, undefined, {
        from,
        documentsMax: 40,
      }).run();
    const first = await verifyFrom(null);
    expect(first).toMatchObject({ findings: [], next: { type: 'tax_invoice', number: 40 } });
    system.series.push({ type: 'credit_note', first_number: 1, next_number: 2, last_date: '2026-06-15' });
    expect(await verifyFrom(first.next)).toMatchObject({ documents: 20, findings: [], next: null });
    // A round that begins after it misses its document.
    expect((await verifyFrom(null)).findings).toMatchObject([
      { type: 'credit_note', message: 'number 1 is missing' },
    ]);
  });

  it('an empty book is sound', async () =>
    expect(await verify(exampleSystem(0))).toMatchObject({
      documents: 0,
      findingCount: 0,
    }));

  it('a book that begins where its series says is sound, whatever the setting states now', async () => {
    const system = exampleSystem(3);
    system.entries.forEach(({ document }, index) => {
      document.number = 500 + index;
    });
    system.series = [{ type: 'tax_invoice', first_number: 500, next_number: 503, last_date: '2026-06-15' }];
    expect((await verify(system)).findings).toEqual([]);
    system.series = [{ type: 'tax_invoice', first_number: 499, next_number: 503, last_date: '2026-06-15' }];
    expect((await verify(system)).findings).toMatchObject([{ check: 'numbers', number: 500 }]);
  });

  it('findings are reported wherever they are in the book', async () => {
    const system = exampleSystem(60);
    const [gone] = system.entries.splice(40, 1);
    const broken = system.entries[50]?.document.id ?? '';
    const audits = system.audits.get(broken);
    if (audits) {
      audits.artifact = {
        ...audits.artifact,
        findings: [{ finding: 'hash', message: 'its PDF is another' }],
      };
    }
    const { findings, findingCount } = await verify(system);
    expect(findingCount).toBe(2);
    expect(findings).toEqual([
      expect.objectContaining({
        check: 'numbers',
        number: 42,
        message: `before it number ${gone?.document.number} is missing`,
      }),
      expect.objectContaining({ check: 'pdf', document_id: broken, message: 'its PDF is another' }),
    ]);
  });

  it('a difference that is gone at the recheck is no finding', async () => {
    const system = exampleSystem(25);
    const { document } = system.entries[3] ?? exampleEntry();
    const sound = exampleAudits(document);
    system.audits.set(document.id, {
      ...sound,
      allocation: { ...sound.allocation, number: '987654321' },
      artifact: { ...sound.artifact, pending: ['allocation_number'] },
    });
    let auditCount = 0;
    system.onCall = (subject) => {
      // The event is handled between the two audits.
      if (subject === 'rpc.rendering.artifact.audit.v1') {
        auditCount += 1;
      }
      if (auditCount === 2) {
        system.audits.set(document.id, sound);
      }
    };
    expect(await verify(system)).toMatchObject({ documents: 25, findingCount: 0 });
    expect(auditCount).toBe(3);
  });

  it('dead-lettered work is counted and is no finding', async () => {
    const system = exampleSystem(3);
    const [first, second] = system.entries as [
      ReturnType<typeof exampleEntry>,
      ReturnType<typeof exampleEntry>,
    ];
    for (const { document } of [first, second]) {
      const audits = exampleAudits(document);
      system.audits.set(document.id, {
        ...audits,
        delivery: { ...audits.delivery, messages: [] },
      });
    }
    system.deadLetters.push({ service: 'delivery', document_id: first.document.id });
    const { deadLettered, findings } = await verify(system);
    expect(deadLettered).toBe(1);
    expect(findings).toMatchObject([{ check: 'pending_work', document_id: second.document.id }]);
  });

  it('the verification fails when a service does not answer', async () => {
    const system = exampleSystem(90);
    system.onCall = (subject) => {
      if (subject === 'rpc.delivery.document.audit.v1') {
        throw new Error('no reply');
      }
    };
    await expect(verify(system)).rejects.toThrow('no reply');
  });

  it('the verification fails when a service leaves a document out', async () => {
    const system = exampleSystem(3);
    system.audits.delete(system.entries[1]?.document.id ?? '');
    await expect(verify(system)).rejects.toThrow('A service did not audit document');
  });

  it('a bounded number of findings is stored and the others are counted', async () => {
    const system = exampleSystem(findingsMax + 50);
    for (const entry of system.entries) {
      entry.source = { id: business.id, type: 'quote', number: 1, date: '2026-06-01' };
    }
    const { findings, findingCount } = await verify(system);
    expect(findings).toHaveLength(findingsMax);
    expect(findingCount).toBe(findingsMax + 50);
  });
});
