import { createHash, randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  auditArtifacts,
  clearTestArtifacts,
  getArtifact,
  type IssuedDocument,
  listLostArtifacts,
  listMissingDocuments,
  moveArtifacts,
  releaseArtifact,
  renderArtifact,
} from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { Diagnosis } from '@pinkas/service-kit/diagnosis';
import { eventually, type StoreFault, storeProgram, TestObjectStore } from '@pinkas/testkit';
import { ArtifactFiles } from '../src/store/artifact-files.js';
import { ArtifactStore } from '../src/store/artifact-store.js';
import { ObjectPurger } from '../src/store/object-purger.js';
import { OrphanPurger } from '../src/store/orphan-purger.js';
import { type RenderingUnderTest, startRendering } from './rendering.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

const dayMs = 24 * 60 * 60 * 1000;
const keepDays = 70;
const isRequired = process.env.OBJECT_STORE_TESTS === 'required';
if (storeProgram === null && !isRequired) {
  process.stderr.write('versitygw is not on the PATH: nothing of the object store is tested\n');
}

(storeProgram !== null || isRequired ? describe : describe.skip)('PDFs in an object store', () => {
  let store: TestObjectStore;
  let rendering: RenderingUnderTest;
  const business = sampleBusiness();

  beforeAll(async () => {
    store = await TestObjectStore.start();
    rendering = await startRendering({ artifactStore: store.address, artifactStoreKeepDays: keepDays });
    rendering.network.answer(listMissingDocuments, () => ({ document_ids: [] }));
  });
  afterAll(async () => {
    await rendering?.stop();
    await store?.stop();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    rendering.clock.now = new Date();
    rendering.config.artifactStore = store.address;
    await fail('none');
    await eventually('the store is used', async () => (await get(ArtifactStore).ready()) === null);
  });

  const get = <T>(type: new (...args: never[]) => T): T => rendering.service.app.get(type, { strict: false });
  const fail = async (fault: StoreFault, faults = Number.POSITIVE_INFINITY) => {
    store.fault = fault;
    store.faults = faults;
  };
  const keyOf = ({ business_id, id }: IssuedDocument) => ({ business_id, document_id: id });
  const make = async (issuer = business) => {
    const document = sampleDocument('quote', issuer, { id: randomUUID() });
    const { sha256 } = await rendering.render({ document, business: issuer, attempt: 1 });
    return { document, sha256, row: await rowOf(document) };
  };
  const findRow = (document: IssuedDocument) =>
    rendering.database.db
      .selectFrom('artifact')
      .selectAll()
      .where('document_id', '=', document.id)
      .executeTakeFirst();
  const rowOf = async (document: IssuedDocument) => {
    const row = await findRow(document);
    return { ...row, object_key: row?.object_key ?? '', pdf: row?.pdf ?? null };
  };
  const fetch = (document: IssuedDocument) => rendering.network.call(getArtifact, keyOf(document));
  const hashOf = (pdf: string) => createHash('sha256').update(Buffer.from(pdf, 'base64')).digest('hex');
  const findingsOf = async ({ document, sha256 }: { document: IssuedDocument; sha256: string }) => {
    const { documents } = await rendering.network.call(auditArtifacts, {
      business_id: document.business_id,
      documents: [
        {
          document_id: document.id,
          type: document.type,
          number: document.number,
          total: document.totals.total,
          allocation_number: null,
          cancelled_at: null,
          artifact_sha256: sha256,
        },
      ],
    });
    return documents[0]?.findings.map(({ finding }) => finding);
  };
  const moveAll = async (to: 'database' | 'store') => {
    const failed = [];
    for (let after: ArtifactPlace = null, isOver = false; !isOver; ) {
      const reply = await moveSome(to, after);
      failed.push(...reply.failed);
      after = reply.next;
      isOver = after === null;
    }
    return failed;
  };
  const moveSome = (to: 'database' | 'store', after: ArtifactPlace) =>
    rendering.network.call(moveArtifacts, { to, after, files: 2 });
  const readOnly = () => {
    rendering.config.artifactStore = { ...store.address, readOnly: true };
  };
  const purgeAfterDays = async (days: number) => {
    rendering.clock.now = new Date(Date.now() + days * dayMs);
    await get(ObjectPurger).tickNow();
    rendering.clock.now = new Date();
  };

  it('a new PDF is stored under its hash, and read, released and verified from there', async () => {
    const made = await make();
    const { object_key, pdf, size_bytes } = made.row;
    expect(pdf).toBeNull();
    expect(object_key).toMatch(
      new RegExp(
        `^\\d{4}-\\d\\d-\\d\\d/${business.id}/${made.document.id}/${made.sha256}-[0-9a-f]{12}\\.pdf$`,
      ),
    );
    const bytes = await readFile(store.path(object_key));
    expect([bytes.length, hashOf(bytes.toString('base64'))]).toEqual([size_bytes, made.sha256]);
    expect(await fetch(made.document)).toMatchObject({ sha256: made.sha256, pdf: bytes.toString('base64') });
    const released = await rendering.network.call(releaseArtifact, keyOf(made.document));
    expect(hashOf(released.pdf)).toBe(made.sha256);
    expect(await findingsOf(made)).toEqual([]);
  });

  it.each<StoreFault>(['500', '503', 'reset'])(
    'a document is issued and read when the store answers once with: %s',
    async (fault) => {
      await fail(fault, 1);
      const { document, sha256 } = await make();
      await fail(fault, 1);
      expect(hashOf((await fetch(document)).pdf)).toBe(sha256);
    },
  );

  it.each<StoreFault>(['silent', '500', '503', 'reset'])(
    'no document is issued, and none has a row, while the store answers with: %s',
    async (fault) => {
      const document = sampleDocument('quote', business, { id: randomUUID() });
      await fail(fault);
      const render = rendering.network.call(renderArtifact, { document, business, attempt: 1 });
      await expect(render).rejects.toMatchObject({ code: 'document_generation_failed' });
      expect(await findRow(document)).toBeUndefined();
    },
  );

  it('a read returns the file or a retryable error, whatever the store answers with', async () => {
    const made = await make();
    const { document, sha256 } = made;
    for (const fault of ['cut', 'wrong bytes'] as const) {
      await fail(fault, 1);
      expect(hashOf((await fetch(document)).pdf)).toBe(sha256);
    }
    for (const fault of ['cut', 'wrong bytes', '500', 'silent'] as const) {
      await fail(fault);
      await expect(fetch(document)).rejects.toMatchObject({ code: 'engine_error' });
      // Nothing was released.
      await expect(rendering.network.call(releaseArtifact, keyOf(document))).rejects.toMatchObject({
        code: 'engine_error',
      });
      await fail('none');
      await eventually('the store is used', async () => (await get(ArtifactStore).ready()) === null);
    }
    const releases = await rendering.database.db
      .selectFrom('artifact_release')
      .select('document_id')
      .execute();
    expect(releases.map(({ document_id }) => document_id)).not.toContain(document.id);
    await fail('wrong bytes');
    expect(await findingsOf(made)).toEqual(['hash', 'signature']);
    await fail('500');
    await expect(findingsOf(made)).rejects.toMatchObject({ code: 'engine_error' });
  });

  it('a missing or a changed file is a finding, and never served', async () => {
    const missing = await make();
    const changed = await make();
    await rm(store.path(missing.row.object_key));
    const path = store.path(changed.row.object_key);
    const bytes = await readFile(path);
    await writeFile(path, await readFile(store.path((await make()).row.object_key)));
    await expect(fetch(missing.document)).rejects.toMatchObject({ code: 'engine_error' });
    await expect(fetch(changed.document)).rejects.toMatchObject({ code: 'engine_error' });
    expect(await findingsOf(missing)).toEqual(['missing']);
    expect(await findingsOf(changed)).toContain('hash');
    await writeFile(path, Buffer.concat([bytes, Buffer.alloc(1_000_000)]));
    await expect(fetch(changed.document)).rejects.toMatchObject({ code: 'engine_error' });
    expect(await findingsOf(changed)).toContain('hash');
    await writeFile(path, bytes);
    expect(await findingsOf(changed)).toEqual([]);
  });

  it('a store that failed five times in a row gets no request for some seconds, and then again', async () => {
    const { document, sha256 } = await make();
    await rename(store.path(), `${store.path()}-gone`);
    // The pause of the circuit is not over before the test has looked.
    jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    try {
      for (let failures = 0; failures < 5; failures += 1) {
        await expect(fetch(document)).rejects.toMatchObject({ code: 'engine_error' });
      }
      const before = store.arrived.length;
      await expect(fetch(document)).rejects.toMatchObject({ code: 'engine_error' });
      expect(store.arrived.length).toBe(before);
      expect(await get(ArtifactStore).ready()).not.toBeNull();
    } finally {
      await rename(`${store.path()}-gone`, store.path());
    }
    jest.restoreAllMocks();
    const found = await eventually('the file is read again', () => fetch(document).catch(() => null));
    expect(hashOf(found.pdf)).toBe(sha256);
  });

  it('a store that may be listed and not written is not ready, and the doctor and the readiness state why', async () => {
    const find = async () =>
      (await get(Diagnosis).run()).find(({ subject }) => subject === 'object store documents/pdf/');
    expect(await find()).toMatchObject({ area: 'store', state: 'ok' });
    await fail('no puts');
    expect(await find()).toMatchObject({
      state: 'failure',
      finding: expect.stringContaining('AccessDenied'),
    });
    for (let failures = 0; failures < 5; failures += 1) {
      const stored = get(ArtifactStore).put(
        `2026-01-01/${randomUUID()}`,
        Buffer.from('%PDF'),
        sha256Of('%PDF'),
      );
      await expect(stored).rejects.toMatchObject({ code: 'engine_error' });
    }
    expect(await get(ArtifactStore).ready()).not.toBeNull();
    // What may still be done does not count for what may not.
    await get(ArtifactStore).list('');
    expect(await get(ArtifactStore).ready()).not.toBeNull();
    await fail('none');
    await eventually('it is ready again', async () => (await get(ArtifactStore).ready()) === null);
    expect(await store.keys()).not.toContainEqual(expect.stringMatching(/^readiness/));
    expect(await find()).toMatchObject({ state: 'ok' });
  });

  it('a store that knows no checksums gets files without them', async () => {
    await fail('no checksums');
    const { document, sha256 } = await make();
    expect(hashOf((await fetch(document)).pdf)).toBe(sha256);
  });

  it('the store accepts the requests of a process whose clock is an hour ahead', async () => {
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() + 60 * 60 * 1000);
    await get(ArtifactStore).put(`2026-01-01/${randomUUID()}`, Buffer.from('%PDF'), sha256Of('%PDF'));
  });

  it('files move between the rows and the store, in parts, and are readable all the time', async () => {
    const documents = [await make(), await make(), await make()];
    readOnly();
    documents.push(await make());
    expect((await rowOf(documents[3]?.document as IssuedDocument)).object_key).toBe('');
    await expect(moveSome('store', null)).rejects.toMatchObject({ code: 'validation_error' });
    await moveAll('database');
    for (const { document, sha256, row } of documents) {
      const moved = await rowOf(document);
      expect([moved.object_key, moved.pdf === null]).toEqual(['', false]);
      expect(hashOf((await fetch(document)).pdf)).toBe(sha256);
      if (row.object_key !== '') {
        // A backup may bring the row back that names it.
        expect(await store.keys()).toContain(row.object_key);
      }
    }
    rendering.config.artifactStore = store.address;
    await moveAll('store');
    for (const made of documents) {
      const moved = await rowOf(made.document);
      expect([moved.object_key === '', moved.pdf]).toEqual([false, null]);
      expect(hashOf((await fetch(made.document)).pdf)).toBe(made.sha256);
      expect(await findingsOf(made)).toEqual([]);
    }
  });

  it('a file that is not what was signed stays where it is', async () => {
    const { document, row } = await make();
    await writeFile(store.path(row.object_key), '%PDF');
    readOnly();
    const failed = await moveAll('database');
    expect(failed.find(({ document_id }) => document_id === document.id)?.message).toBe(
      'the file does not have its hash',
    );
    expect((await rowOf(document)).object_key).toBe(row.object_key);
  });

  it('no statement gives a revision another file', async () => {
    const inStore = (await make()).document;
    readOnly();
    const inRow = (await make()).document;
    const set = (document: IssuedDocument, values: { pdf?: Buffer | null; object_key?: string | null }) =>
      rendering.database.db
        .updateTable('artifact')
        .set(values)
        .where('document_id', '=', document.id)
        .execute();
    await expect(set(inStore, { object_key: 'another' })).rejects.toThrow('an artifact is final');
    await expect(set(inStore, { object_key: null, pdf: Buffer.from('%PDF') })).rejects.toThrow(/artifact_s/);
    await expect(set(inStore, { object_key: null })).rejects.toThrow(/artifact_place_check|final/);
    await expect(set(inRow, { pdf: Buffer.from('%PDF') })).rejects.toThrow('an artifact is final');
  });

  it('a file without a row is deleted when no backup has one, and a file with a row never', async () => {
    const kept = await make();
    const orphan = await get(ArtifactFiles).put(
      keyOf(sampleDocument('quote', business, { id: randomUUID() })),
      sha256Of('%PDF'),
      Buffer.from('%PDF'),
    );
    const test = sampleBusiness({ id: testBookOf(business.id) });
    const cleared = await make(test);
    expect(await rendering.network.call(clearTestArtifacts, { business_id: test.id })).toMatchObject({
      more: false,
    });
    const never = await make();
    rendering.network.answer(listMissingDocuments, () => ({ document_ids: [never.document.id] }));
    rendering.clock.now = new Date(Date.now() + 2 * dayMs);
    await get(OrphanPurger).tickNow();
    expect(await findRow(never.document)).toBeUndefined();
    const gone = [orphan, cleared.row.object_key, never.row.object_key];

    const listLost = async () =>
      (await rendering.network.call(listLostArtifacts, { after: '' })).files.map(
        ({ object_key }) => object_key,
      );
    // What may get its row now is not listed.
    rendering.clock.now = new Date();
    expect(await listLost()).toEqual([]);
    rendering.clock.now = new Date(Date.now() + 60 * 60 * 1000);
    const lost = await get(ArtifactFiles).put(
      keyOf(sampleDocument('quote', business, { id: randomUUID() })),
      sha256Of('%PDF'),
      Buffer.from('%PDF'),
    );
    expect(await listLost()).toEqual(expect.arrayContaining([orphan, lost]));
    await rendering.database.db.deleteFrom('listed_object').where('object_key', '=', lost).execute();

    await purgeAfterDays(keepDays - 1);
    expect(await store.keys()).toEqual(expect.arrayContaining([...gone, kept.row.object_key]));
    readOnly();
    await purgeAfterDays(keepDays + 2);
    expect(await store.keys()).toEqual(expect.arrayContaining(gone));
    rendering.config.artifactStore = store.address;
    await purgeAfterDays(keepDays + 2);
    const left = await store.keys();
    expect(gone.filter((key) => left.includes(key))).toEqual([]);
    expect(left).toEqual(expect.arrayContaining([kept.row.object_key, lost]));
    expect(hashOf((await fetch(kept.document)).pdf)).toBe(kept.sha256);
  });
});

type ArtifactPlace = { business_id: string; document_id: string; revision: number } | null;
const sha256Of = (text: string) => createHash('sha256').update(text).digest();
