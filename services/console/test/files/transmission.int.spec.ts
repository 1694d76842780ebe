import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type BookEntry,
  type Business,
  type openTransmission as Open,
  openTransmission,
  type ReplyOf,
  readTransmission,
  showConnection,
} from '@pinkas/contracts';
import { type Database, kitTokens } from '@pinkas/service-kit';
import { AuthorityFiles, eventually, readTrail, Simulator } from '@pinkas/testkit';
import type { ConsoleTables } from '../../src/db/console.tables.js';
import { ExportPurger } from '../../src/files/export/export-purger.js';
import { TransmissionWorker } from '../../src/files/transmission/transmission-worker.js';
import { readUniformFiles } from '../../src/files/transmission/uniform-files.js';
import { textOf } from '../browser.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser } from '../console.js';
import { answerForBook, bookEntry } from '../exports.js';

const step = 256 * 1024;
const dayMs = 24 * 60 * 60 * 1_000;

describe('the transmission of the uniform structure in the console', () => {
  let console: ConsoleUnderTest;
  let authority: Simulator;
  let files: AuthorityFiles;
  let business: Business;
  const book: BookEntry[] = [];
  const fillBook = (documents: number) => {
    const entries = Array.from({ length: documents }, (_, index) => bookEntry(index + 1, business));
    book.splice(0, book.length, ...entries);
  };
  let owner: TestBrowser;
  let isOn: boolean;
  let opened: number;
  let openedFor: string;
  let open: () => Promise<ReplyOf<typeof Open>>;
  let read: (asked: readonly { id: string }[]) => Promise<ReplyOf<typeof readTransmission>>;
  beforeAll(async () => {
    authority = await Simulator.start('tax-authority');
    files = await AuthorityFiles.login(authority);
    console = await startConsole();
    const { network } = console;
    const none = { recorded: [], withoutPdf: new Set<string>(), beforePage: { run: () => {} } };
    answerForBook({ network, book, ...none });
    console.network.answer(showConnection, () => ({
      ...{ connection: null, request: null, transmission: isOn },
    }));
    console.network.answer(openTransmission, ({ tax_id: taxId }) => {
      opened += 1;
      openedFor = taxId;
      return open();
    });
    console.network.answer(readTransmission, ({ files: asked }) => read(asked));
  });
  afterAll(async () => {
    await console?.stop();
    await authority?.stop();
  });
  beforeEach(async () => {
    await files.setOptions({ reset: true });
    isOn = true;
    opened = 0;
    open = () => files.open();
    read = (asked) => files.read(asked);
    business = console.addBusiness({ tax_id: '777777715', tax_authority_connected: true });
    fillBook(5);
    owner = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
  });

  const row = (id: string) =>
    console.database.db
      .selectFrom('transmission')
      .selectAll()
      .where('export_id', '=', id)
      .executeTakeFirstOrThrow();
  const ended = (id: string) =>
    eventually('the transmission has ended', async () => {
      const found = await row(id);
      return found.ended_at !== null && found;
    });
  const shown = async (browser = owner) => textOf((await browser.get(`/b/${business.id}/exports`)).text);
  const transmit = (id: string, browser = owner) =>
    browser.post(`/b/${business.id}/exports/${id}/transmission`);
  const own = () => console.service.app.get<Database<ConsoleTables>>(kitTokens.database);
  const work = () => console.service.app.get(TransmissionWorker, { strict: false }).trigger();

  /** Has the uniform structure of the year made. @returns the id of the export. */
  async function prepared(): Promise<string> {
    const dates = { from: '2026-01-01', to: '2026-12-31' };
    const asked = await owner.post(`/b/${business.id}/exports`, {
      ...{ format: 'uniform', charset: 'iso-8859-8', ...dates },
    });
    expect(asked.status).toBe(303);
    const made = await eventually('the file is made', () =>
      console.database.db
        .selectFrom('export_job')
        .select('id')
        .where('business_id', '=', business.id)
        .where('state', '=', 'done')
        .executeTakeFirst(),
    );
    return made.id;
  }

  it('an owner confirms what is sent, and the files arrive as they were made', async () => {
    const id = await prepared();
    // The files have the number that the business had when they were made.
    console.businesses.set(business.id, { ...business, tax_id: '514293711' });
    const page = await owner.get(`/b/${business.id}/exports/${id}/transmission`);
    const size = /BKMVDATA\.TXT \((\d+) KB\)/.exec(textOf(page.text));
    expect(size).not.toBeNull();
    expect(textOf(page.text)).toContain('A transmission is final: it cannot be withdrawn.');
    expect((await transmit(id)).location).toBe(`/b/${business.id}/exports`);
    expect(await ended(id)).toMatchObject({ state: 'approved', failure: null });
    const made = await readUniformFiles(own(), { businessId: business.id, exportId: id });
    expect(openedFor).toBe('777777715');
    const stored = await files.stored();
    for (const { name, bytes } of made ?? []) {
      expect(stored[name]?.received ?? bytes).toBe(bytes);
    }
    expect(stored['BKMVDATA.TXT']?.sha256).not.toBeNull();
    expect(await shown()).toContain('Transmission to the tax authority Approved');
    const trail = await readTrail(console.database, business.id);
    expect(trail.map(({ action, actor }) => [action, actor.split(':')[0]])).toEqual([
      ['transmission.request', 'person'],
      ['transmission.end', 'service'],
    ]);
    expect(trail[1]?.after).toMatchObject({ from: '2026-01-01', outcome: 'approved' });
  });

  it('a form that is sent twice transmits once, and what was approved is not offered again', async () => {
    const id = await prepared();
    await owner.get(`/b/${business.id}/exports/${id}/transmission`);
    await Promise.all([transmit(id), transmit(id)]);
    await ended(id);
    await transmit(id);
    expect((await row(id)).state).toBe('approved');
    expect(opened).toBe(1);
    expect(await shown()).not.toContain('Transmit to the tax authority');
  });

  it('a rejected file is shown with the reason of the authority, and has to be made again', async () => {
    await files.setOptions({ transmissionVerdict: 'Rejected' });
    const id = await prepared();
    await owner.get(`/b/${business.id}/exports/${id}/transmission`);
    await transmit(id);
    expect(await ended(id)).toMatchObject({ state: 'rejected' });
    const text = await shown();
    expect(text).toContain('Transmission to the tax authority Rejected');
    expect(text).toContain('Reason: INI.TXT: the file is not valid');
    expect(text).toContain('prepare a new file');
  });

  it('the authority is asked until it decides, without another upload, and at last asked no more', async () => {
    await files.setOptions({ transmissionVerdict: 'Uploaded' });
    const id = await prepared();
    await owner.get(`/b/${business.id}/exports/${id}/transmission`);
    await transmit(id);
    await eventually('the files are uploaded', async () => {
      const { state, uploaded_at } = await row(id);
      return state === 'queued' && uploaded_at !== null;
    });
    expect(await shown()).toContain('Sent, not decided yet');
    const before = console.clock.now;
    try {
      console.clock.now = new Date(before.getTime() + 15 * dayMs);
      work();
      expect(await ended(id)).toMatchObject({ state: 'undecided' });
      await files.setOptions({ transmissionVerdict: 'Approved' });
      owner = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
      expect(await shown()).toContain('Ask the authority again');
      await owner.get(`/b/${business.id}/exports/${id}/transmission`);
      expect((await transmit(id)).status).toBe(303);
      await eventually('the files are approved', async () => (await row(id)).state === 'approved');
    } finally {
      console.clock.now = before;
    }
    expect(opened).toBe(1);
  });

  it('a transmission whose process died continues behind what has arrived', async () => {
    fillBook(500);
    const id = await prepared();
    const links = await files.open();
    const data = links.files.find(({ name }) => name === 'BKMVDATA.TXT');
    const begun = await fetch(data?.url ?? '', {
      method: 'POST',
      headers: { 'x-goog-resumable': 'start' },
    });
    const session = begun.headers.get('location') ?? '';
    const made = await uniformFile(id);
    const sent = await fetch(session, {
      method: 'PUT',
      headers: { 'content-range': `bytes 0-${step - 1}/${made.length}` },
      body: new Uint8Array(made.subarray(0, step)),
    });
    expect(sent.status).toBe(308);
    const ini = await uniformFile(id, 'INI.TXT');
    const fileOf = (link: (typeof links.files)[number], bytes: Buffer, own: string | null) => {
      const { max_bytes: _max, ...file } = link;
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const fresh = { uploaded: false, status: 'unknown', description: null } as const;
      return { ...file, bytes: bytes.length, sha256, session: own, ...fresh };
    };
    const now = console.clock.now;
    await console.database.db
      .insertInto('transmission')
      .values({
        ...{ business_id: business.id, export_id: id, person_id: business.id, requested_at: now },
        ...{ next_attempt_at: now, attempts: 1, request_id: null, trace: null },
      })
      .execute();
    await console.database.db
      .updateTable('transmission')
      .set({
        ...{ state: 'running', claimed_until: new Date(now.getTime() - 1_000) },
        progress: JSON.stringify({
          ...{ business_id: business.id, from: '2026-01-01', to: '2026-12-31', state: 'opened' },
          id: links.id,
          files: links.files.map((link) =>
            link === data ? fileOf(link, made, session) : fileOf(link, ini, null),
          ),
        }),
      })
      .where('export_id', '=', id)
      .execute();
    work();
    expect(await ended(id)).toMatchObject({ state: 'approved', sent_bytes: made.length + ini.length });
    expect(opened).toBe(0);
    const stored = (await files.stored())['BKMVDATA.TXT'];
    expect(stored).toMatchObject({
      sha256: createHash('sha256').update(made).digest('hex'),
      parts: [step, made.length - step],
    });
  });

  it('a file is kept until the authority has it', async () => {
    open = () =>
      Promise.resolve({ outcome: 'failed', problem: 'unavailable', reason: 'no', id: null, files: [] });
    const id = await prepared();
    await owner.get(`/b/${business.id}/exports/${id}/transmission`);
    await transmit(id);
    await eventually('an attempt has failed', async () => (await row(id)).error !== null);
    expect(await shown()).toContain(
      'The tax authority does not take the files at the moment. It is attempted again.',
    );
    await console.database.db
      .updateTable('export_job')
      .set({ expires_at: new Date(0) })
      .where('id', '=', id)
      .execute();
    const purger = console.service.app.get(ExportPurger, { strict: false });
    await purger.tickNow();
    const key = { businessId: business.id, exportId: id };
    expect(await readUniformFiles(own(), key)).toHaveLength(3);
    await console.database.db
      .updateTable('transmission')
      .set({ state: 'approved', next_attempt_at: null, ended_at: new Date() })
      .where('export_id', '=', id)
      .execute();
    await purger.tickNow();
    expect(await readUniformFiles(own(), key)).toBeNull();
  });

  it.each([
    ['not_connected', 'Connect again, then continue.'],
    ['no_permission', 'A person who has it must connect the business.'],
  ] as const)('a transmission that a person has to help fails at once: %s', async (problem, sentence) => {
    open = () => Promise.resolve({ outcome: 'failed', problem, reason: 'no', id: null, files: [] });
    const id = await prepared();
    await owner.get(`/b/${business.id}/exports/${id}/transmission`);
    await transmit(id);
    expect(await ended(id)).toMatchObject({ state: 'failed', failure: problem });
    expect(await shown()).toContain(sentence);
    open = () => files.open();
    await transmit(id);
    await eventually('the files are approved', async () => (await row(id)).state === 'approved');
  });

  it('a business of which the authority asks nothing sends nothing', async () => {
    await files.setOptions({ transmissionRequired: false });
    const id = await prepared();
    await owner.get(`/b/${business.id}/exports/${id}/transmission`);
    await transmit(id);
    expect(await ended(id)).toMatchObject({ state: 'not_required', sent_bytes: 0 });
    expect(await shown()).toContain('nothing was sent');
  });

  it('no one transmits where it is switched off, and only an owner does elsewhere', async () => {
    const id = await prepared();
    expect(await shown()).toContain('Transmit to the tax authority');
    const issuer = await console.signedIn(await console.addPerson({ [business.id]: 'issuer' }));
    expect(await shown(issuer)).not.toContain('Transmit to the tax authority');
    expect((await issuer.get(`/b/${business.id}/exports/${id}/transmission`)).status).toBe(403);
    expect((await transmit(id, issuer)).status).toBe(403);
    isOn = false;
    expect(await shown()).not.toContain('Transmit to the tax authority');
    expect((await transmit(id)).status).toBe(404);
    const found = console.database.db.selectFrom('transmission').selectAll().where('export_id', '=', id);
    expect(await found.execute()).toEqual([]);
  });

  it('a business that is not connected is led to the connection', async () => {
    const id = await prepared();
    console.businesses.set(business.id, { ...business, tax_authority_connected: false });
    const page = await owner.get(`/b/${business.id}/exports/${id}/transmission`);
    expect(page.text).toContain(`href="/b/${business.id}/authority"`);
    expect(textOf(page.text)).not.toContain('Transmit the files');
    expect((await transmit(id)).location).toBe(`/b/${business.id}/exports/${id}/transmission`);
  });

  it('the file of another business is not found', async () => {
    const id = await prepared();
    const { id: otherId } = console.addBusiness({ tax_authority_connected: true });
    const other = await console.signedIn(await console.addPerson({ [otherId]: 'owner' }));
    for (const unknown of [id, otherId, 'nothing']) {
      const path = `/b/${otherId}/exports/${unknown}/transmission`;
      expect((await other.get(path)).status).toBe(404);
      expect((await other.post(path)).status).toBe(404);
    }
  });

  /** A file of the uniform structure of an export. */
  async function uniformFile(id: string, name = 'BKMVDATA.TXT'): Promise<Buffer> {
    const folder = await mkdtemp(join(tmpdir(), 'pinkas-test-'));
    try {
      await readUniformFiles(own(), { businessId: business.id, exportId: id }, folder);
      return await readFile(join(folder, name));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
});
