import { createHash, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  allocationSettled,
  auditArtifacts,
  cancelArtifact,
  getArtifact,
  type IssuedDocument,
  listMissingDocuments,
  type ReplyOf,
  type RequestOf,
} from '@pinkas/contracts';
import { documentTypes } from '@pinkas/domain';
import { ApiError, createLogger, type Database, openDatabase } from '@pinkas/service-kit';
import { withDatabase } from '@pinkas/service-kit/schema';
import { adminUrl, eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import type { RenderingTables } from '../src/db/artifact.tables.js';
import { OrphanPurger } from '../src/store/orphan-purger.js';
import { type RenderingUnderTest, startRendering } from './rendering.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

const dayMs = 24 * 60 * 60 * 1000;
type BookFacts = RequestOf<typeof auditArtifacts>['documents'][number];
type Audited = ReplyOf<typeof auditArtifacts>['documents'][number];

let rendering: RenderingUnderTest;
beforeAll(async () => {
  rendering = await startRendering();
});
afterAll(() => rendering?.stop());

describe('OrphanPurger', () => {
  let purger: OrphanPurger;
  const business = sampleBusiness();
  const book = new Map<string, IssuedDocument>();
  let issuingAnswers = true;
  beforeAll(async () => {
    purger = rendering.service.app.get(OrphanPurger, { strict: false });
    rendering.network.answer(listMissingDocuments, ({ documents }) => {
      if (!issuingAnswers) {
        throw new ApiError('internal_error');
      }
      return {
        document_ids: documents.map(({ document_id }) => document_id).filter((id) => !book.has(id)),
      };
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rendering.clock.now = new Date();
  });

  const renderNew = async () => {
    const document = sampleDocument('quote', business);
    await rendering.render({ document, business, attempt: 1 });
    return document;
  };
  const stored = async (document: IssuedDocument) =>
    rendering.database.db
      .selectFrom('artifact')
      .select('revision')
      .where('document_id', '=', document.id)
      .executeTakeFirst();

  it('OrphanPurger deletes PDFs of documents that were not issued after a day, and nothing while issuing does not answer', async () => {
    const orphan = await renderNew();
    const late = await renderNew();
    book.set(late.id, late);

    await purger.tickNow();
    expect(await stored(orphan)).toBeDefined();

    rendering.clock.now = new Date(Date.now() + dayMs + 60_000);
    issuingAnswers = false;
    await expect(purger.tickNow()).rejects.toThrow();
    expect(await stored(orphan)).toBeDefined();

    issuingAnswers = true;
    await purger.tickNow();
    expect(await stored(orphan)).toBeUndefined();
    expect(await stored(late)).toBeDefined();
    // What was compared is final, and not compared again.
    book.delete(late.id);
    await purger.tickNow();
    expect(await stored(late)).toBeDefined();
    await expect(
      rendering.database.db.deleteFrom('artifact').where('document_id', '=', late.id).execute(),
    ).rejects.toThrow('never deleted');
  });

  it('OrphanPurger keeps the PDF of a document that is being issued when the clock of the machine is a day ahead', async () => {
    const document = await renderNew();
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() + dayMs + 60_000);
    rendering.clock.now = new Date(Date.now());
    await purger.tickNow();
    expect(await stored(document)).toBeDefined();
  });
});

describe('AuditArtifacts', () => {
  /** Somebody who may change what no one may change: no trigger and no constraint is in the way. */
  let intruder: Database<RenderingTables>;
  const business = sampleBusiness();

  beforeAll(async () => {
    const url = new URL(withDatabase(adminUrl(), new URL(rendering.database.url).pathname.slice(1)));
    // On whichever connection the pool opens: it closes one that is idle for a minute.
    url.searchParams.set('options', '-c session_replication_role=replica');
    intruder = openDatabase<RenderingTables>({
      url: url.href,
      poolSize: 1,
      applicationName: 'test',
      logger: createLogger('test', 'silent'),
    });
    await sql`alter table artifact drop constraint artifact_sha256_check`.execute(intruder);
  });
  afterAll(() => intruder?.destroy());

  /** Makes a PDF; what the book would say of its document. */
  const make = async (document: IssuedDocument, issuer = business): Promise<BookFacts> => {
    const { sha256 } = await rendering.render({
      document,
      business: issuer,
      attempt: 1,
    });
    return {
      document_id: document.id,
      type: document.type,
      number: document.number,
      total: document.totals.total,
      allocation_number: null,
      cancelled_at: null,
      artifact_sha256: sha256,
    };
  };
  it('a delivery note without prices is not missing its total', async () => {
    const issuer = sampleBusiness({ id: business.id, delivery_notes_without_prices: true });
    const note = sampleDocument('delivery_note', issuer, { id: randomUUID() });
    const facts = await make(note, issuer);
    expect(await findingsOf({ ...facts, without_prices: true })).toEqual([]);
    expect(await findingsOf(facts)).toEqual(['content']);
  });

  const audit = async (facts: BookFacts, business_id = business.id): Promise<Audited> => {
    const { documents } = await rendering.network.call(auditArtifacts, { business_id, documents: [facts] });
    expect(documents.map(({ document_id }) => document_id)).toEqual([facts.document_id]);
    return documents[0] as Audited;
  };
  const findingsOf = async (facts: BookFacts): Promise<string[]> =>
    (await audit(facts)).findings.map(({ finding }) => finding);
  const settle = async (document: IssuedDocument, { artifact_sha256 }: BookFacts, number: string | null) => {
    await rendering.network.publish(allocationSettled, document.id, {
      document,
      business,
      allocation: number
        ? { status: 'issued', number, reason: null }
        : { status: 'not_required', number: null, reason: 'no type for it' },
      pending: false,
      artifact_sha256,
    });
    await eventually('a PDF is final', () =>
      rendering.database.db
        .selectFrom('artifact')
        .select('revision')
        .where('document_id', '=', document.id)
        .where('published_at', 'is not', null)
        .executeTakeFirst(),
    );
  };
  /** Changes the bytes of a stored PDF behind its back; with `rehash` the row's hash as well. */
  const forge = async (
    { document_id }: BookFacts,
    change: (pdf: Buffer) => Buffer,
    { revision = 1, rehash = false } = {},
  ) => {
    const { pdf, sha256 } = await intruder
      .selectFrom('artifact')
      .select(['pdf', 'sha256'])
      .$narrowType<{ pdf: Buffer }>()
      .where('document_id', '=', document_id)
      .where('revision', '=', revision)
      .executeTakeFirstOrThrow();
    const forged = change(Buffer.from(pdf));
    expect(forged.equals(pdf)).toBe(false);
    await intruder
      .updateTable('artifact')
      .set({
        pdf: forged,
        size_bytes: forged.length,
        sha256: rehash ? createHash('sha256').update(forged).digest() : sha256,
      })
      .where('document_id', '=', document_id)
      .where('revision', '=', revision)
      .execute();
  };
  const flipAt = (at: (pdf: Buffer) => number) => (pdf: Buffer) => {
    const index = at(pdf);
    pdf[index] = (pdf[index] ?? 0) ^ 1;
    return pdf;
  };
  const bytesOf = async ({ document_id }: BookFacts, revision = 1): Promise<Buffer> => {
    const { pdf } = await intruder
      .selectFrom('artifact')
      .select('pdf')
      .$narrowType<{ pdf: Buffer }>()
      .where('document_id', '=', document_id)
      .where('revision', '=', revision)
      .executeTakeFirstOrThrow();
    return pdf;
  };
  /** Where the signature is in the file: what the signed ranges leave out. */
  const signatureIn = (pdf: Buffer) => pdf.indexOf('/Contents <', pdf.lastIndexOf('/ByteRange')) + 11;

  it('a PDF that lacks its hash is not served', async () => {
    const document = sampleDocument('quote', business);
    const facts = await make(document);
    const key = { business_id: business.id, document_id: document.id };
    await expect(rendering.network.call(getArtifact, key)).resolves.toMatchObject({ revision: 1 });
    const { sha256 } = await rendering.network.call(getArtifact, key);
    expect(await rendering.network.call(getArtifact, { ...key, known_sha256: [sha256] })).toMatchObject({
      pdf: '',
    });
    await forge(
      facts,
      flipAt((pdf) => pdf.length - 20),
    );
    await expect(rendering.network.call(getArtifact, key)).rejects.toMatchObject({ code: 'internal_error' });
  });

  it.each(['he', 'en'] as const)(
    'AuditArtifacts finds nothing wrong with documents of every type (%s)',
    async (language) => {
      const issuer = sampleBusiness({ language });
      const facts = await Promise.all(
        documentTypes.map((type, index) =>
          make(sampleDocument(type, issuer, { id: randomUUID(), number: index + 1 }), issuer),
        ),
      );
      const { documents } = await rendering.network.call(auditArtifacts, {
        business_id: issuer.id,
        documents: facts,
      });
      expect(documents).toEqual(
        facts.map(({ document_id }) => ({ document_id, revisions: 1, findings: [], pending: [] })),
      );
    },
  );

  it('AuditArtifacts finds nothing wrong with many pages, large amounts and figures among the words', async () => {
    const [line] = sampleDocument('tax_invoice', business).items;
    const facts = await make(
      sampleDocument('tax_invoice', business, {
        number: 999_999_999,
        title: 'מספר 12 / No. 13',
        notes: 'סה"כ 1,000.00 ₪ (₪5)',
        items: Array.from({ length: 80 }, () => line as NonNullable<typeof line>),
        totals: {
          subtotal: 999_999_999_999.99,
          discount: 0,
          vat: 0,
          vat_rate: 0,
          total: 999_999_999_999.99,
          currency: 'ILS',
        },
      }),
    );
    expect(await audit(facts)).toMatchObject({ findings: [] });
  });

  /** Its invoices require an allocation number. */
  const requiring = { ...business, allocation_threshold_net: 0, tax_authority_connected: true };

  it('AuditArtifacts reports pending work until a PDF shows it', async () => {
    const document = sampleDocument('tax_invoice', business);
    const facts = await make(document, requiring);
    const numbered = { ...facts, allocation_number: '123456789' };
    expect(await audit(numbered)).toMatchObject({
      revisions: 1,
      findings: [],
      pending: ['final', 'allocation_number'],
    });
    await settle(document, facts, '123456789');
    expect(await audit(numbered)).toMatchObject({ revisions: 2, findings: [], pending: [] });
    const cancelled = { ...numbered, cancelled_at: '2026-03-09T22:30:00.000Z' };
    expect(await audit(cancelled)).toMatchObject({ revisions: 2, findings: [], pending: ['cancelled'] });
    await rendering.network.call(cancelArtifact, {
      document,
      business,
      cancelled_at: cancelled.cancelled_at,
    });
    expect(await audit(cancelled)).toMatchObject({ revisions: 3, findings: [], pending: [] });
    // The book knows neither of the two.
    expect(await findingsOf(facts)).toEqual(['allocation_number', 'cancelled']);
    expect(await findingsOf({ ...cancelled, allocation_number: '987654321' })).toEqual(['allocation_number']);
  });

  it('the audit finds one changed byte in the signed part, in the signature and behind it', async () => {
    const expected = ['hash', 'signature'];
    const inside = await make(sampleDocument('quote', business));
    await forge(
      inside,
      flipAt(() => 1_000),
    );
    expect(await findingsOf(inside)).toEqual(expected);
    const outside = await make(sampleDocument('quote', business));
    await forge(
      outside,
      flipAt((pdf) => signatureIn(pdf) + 2_000),
    );
    expect(await findingsOf(outside)).toEqual(expected);
    const behind = await make(sampleDocument('quote', business));
    await forge(
      behind,
      flipAt((pdf) => pdf.indexOf('>', signatureIn(pdf)) - 1),
    );
    expect(await findingsOf(behind)).toEqual(expected);
  });

  it('the audit finds a changed PDF whose stored hash was recomputed', async () => {
    const first = await make(sampleDocument('order', business));
    await forge(
      first,
      flipAt(() => 1_000),
      { rehash: true },
    );
    const { findings } = await audit(first);
    expect(findings.map(({ finding }) => finding)).toEqual(['book_hash', 'signature']);
    expect(findings[1]?.message).toBe('revision 1 of its PDF: the file was changed after it was signed');
  });

  it.each<[string, (pdf: Buffer) => Buffer, string]>([
    [
      'something is added to the file',
      (pdf) => Buffer.concat([pdf, Buffer.from('%')]),
      'does not cover the whole file',
    ],
    ['it is no PDF', () => Buffer.from('no PDF'), 'there is no signature'],
    [
      'the signature is empty',
      (pdf) => pdf.fill('0', signatureIn(pdf), pdf.indexOf('>', signatureIn(pdf))),
      'the signature is of another certificate',
    ],
    [
      'what the key has signed is something else',
      (pdf) => {
        // The last octet of the signature's value, before the room that is filled with zeros.
        const end = pdf.indexOf('>', signatureIn(pdf));
        const at =
          signatureIn(pdf) + pdf.toString('latin1', signatureIn(pdf), end).replace(/0+$/, '').length - 1;
        pdf.write(pdf[at] === 0x31 ? '2' : '1', at, 'latin1');
        return pdf;
      },
      'the signature is not of the key of its certificate',
    ],
    [
      'the range of the signature leaves something out',
      (pdf) => {
        const at = pdf.lastIndexOf('/ByteRange');
        const range = /\[0 (\d+) +(\d+)/.exec(pdf.toString('latin1', at, at + 60));
        const less = Number(range?.[1]) - 10;
        pdf.write(`[0 ${less}`, pdf.indexOf('[', at), 'latin1');
        return pdf;
      },
      'the signature leaves out more than itself',
    ],
  ])('finds that %s', async (_what, change, words) => {
    const facts = await make(sampleDocument('delivery_note', business));
    await forge(facts, change, { rehash: true });
    const signature = (await audit(facts)).findings.find(({ finding }) => finding === 'signature');
    expect(signature?.message).toContain(words);
  });

  it('the audit finds a signature of another certificate', async () => {
    const facts = await make(sampleDocument('quote', business));
    await intruder
      .updateTable('artifact')
      .set({ certificate_sha256: Buffer.alloc(32, 1) })
      .where('document_id', '=', facts.document_id)
      .execute();
    expect((await audit(facts)).findings).toEqual([
      { finding: 'signature', message: 'revision 1 of its PDF: the signature is of another certificate' },
    ]);
  });

  it('AuditArtifacts finds the PDF of another document in a later revision, of which issuing has no hash', async () => {
    const document = sampleDocument('tax_invoice', business);
    const facts = { ...(await make(document)), allocation_number: '123456789' };
    await settle(document, facts, '123456789');
    const swapped = async (change: Partial<IssuedDocument>) => {
      const other = await make(sampleDocument('tax_invoice', business, change));
      const pdf = await bytesOf(other);
      await forge(facts, () => pdf, { revision: 2, rehash: true });
      return (await audit(facts)).findings.map(({ message }) => message);
    };
    // Its number is in the text, but not as the number of the document.
    expect(await swapped({ number: 7, title: String(document.number) })).toEqual([
      'its PDF is titled as another document',
      `its PDF does not show the number ${document.number}`,
      'its PDF does not show the allocation number 123456789',
    ]);
    const totals = { ...document.totals, total: document.totals.total + 0.01 };
    expect(await swapped({ totals })).toEqual([
      'its PDF does not show the total 3,009.00',
      'its PDF does not show the allocation number 123456789',
    ]);
    expect(await swapped({ type: 'proforma' })).toEqual([
      'its PDF is titled as another document',
      'its PDF does not show the allocation number 123456789',
    ]);
  });

  it('AuditArtifacts finds that one revision is missing, or all of them', async () => {
    const document = sampleDocument('tax_invoice', business);
    const facts = { ...(await make(document)), allocation_number: '123456789' };
    await settle(document, facts, '123456789');
    await intruder
      .deleteFrom('artifact')
      .where('document_id', '=', facts.document_id)
      .where('revision', '=', 1)
      .execute();
    expect(await audit(facts)).toMatchObject({
      revisions: 1,
      findings: [{ finding: 'revisions', message: 'its PDFs are the revisions 2' }],
    });
    await intruder.deleteFrom('artifact').where('document_id', '=', facts.document_id).execute();
    expect(await audit(facts)).toEqual({
      document_id: facts.document_id,
      revisions: 0,
      findings: [{ finding: 'missing', message: 'there is no PDF of it' }],
      pending: [],
    });
  });

  it('AuditArtifacts finds that a PDF does not show what its row states', async () => {
    const facts = await make(sampleDocument('tax_invoice', business));
    await intruder
      .updateTable('artifact')
      .set({ allocation_number: '123456789', cancelled_at: new Date() })
      .where('document_id', '=', facts.document_id)
      .execute();
    const shown = { ...facts, allocation_number: '123456789', cancelled_at: '2026-03-09T22:30:00.000Z' };
    expect((await audit(shown)).findings.map(({ message }) => message)).toEqual([
      'its PDF does not show the allocation number 123456789',
      'its PDF does not show that it is cancelled',
    ]);
  });

  it('AuditArtifacts does not find the PDF of another business', async () => {
    const facts = await make(sampleDocument('quote', business));
    expect(await audit(facts, randomUUID())).toMatchObject({
      revisions: 0,
      findings: [{ finding: 'missing' }],
    });
  });
});
