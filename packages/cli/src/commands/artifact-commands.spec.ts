import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { listLostArtifacts, moveArtifacts } from '@pinkas/contracts';
import { run } from '../../test/run.js';

const at = (revision: number) => ({ business_id: randomUUID(), document_id: randomUUID(), revision });
const reply = { moved: 2, bytes: 60_000, failed: [], next: null, new_files: 'store' };

describe('pinkas artifacts move', () => {
  it('each call goes on where the one before has ended, and moves as many files as a second may have', async () => {
    const place = at(1);
    const replies = [{ ...reply, next: place }, reply];
    const { output, requests } = run(
      'artifacts move',
      { to: 'store', 'per-second': '500' },
      { [moveArtifacts.subject]: () => replies.shift() },
    );
    expect(await output).toEqual({
      json: { moved: 4, bytes: 120_000, failed: [] },
      text: '4 files moved to the store',
    });
    expect(requests.map(([, request]) => request)).toEqual([
      { to: 'store', after: null, files: 500 },
      { to: 'store', after: place, files: 500 },
    ]);
  });

  it('files that stay are named, and so is where new ones go', async () => {
    const failed = { ...at(3), message: 'the file is not in the object store' };
    const { output } = run(
      'artifacts move',
      { to: 'database' },
      { [moveArtifacts.subject]: () => ({ ...reply, failed: [failed] }) },
    );
    const { text, failure } = await output;
    expect(text).toContain(`document ${failed.document_id}, revision 3: the file is not in the object store`);
    expect(text).toContain('Files of new documents go to the store: add readonly=true to ARTIFACT_STORE');
    expect(failure).toContain('1 file stays where it is');
  });

  it.each([
    [{ to: 'disk' }, '--to takes database or store'],
    [{ to: 'store', 'per-second': '0' }, '--per-second takes a number from 1 to 1000'],
  ])('it rejects %j', async (words, message) => {
    await expect(run('artifacts move', words).output).rejects.toThrow(message);
  });
});

describe('pinkas artifacts lost', () => {
  it('the files without a row are listed page by page, from a day on', async () => {
    const file = {
      ...{ business_id: randomUUID(), document_id: randomUUID(), day: '2026-06-15' },
      ...{ object_key: '2026-06-15/a.pdf', modified_at: '2026-06-15T08:00:00.000Z' },
    };
    const replies = [
      { files: [], next: '2026-06-15/0' },
      { files: [file], next: '2026-06-15/a.pdf' },
      { files: [], next: null },
    ];
    const { output, requests } = run(
      'artifacts lost',
      { since: '2026-06-15' },
      { [listLostArtifacts.subject]: () => replies.shift() },
    );
    const { json, text } = await output;
    expect(json).toEqual([file]);
    expect(text).toContain(`${file.business_id}  ${file.document_id}`);
    const places = ['2026-06-15', '2026-06-15/0', '2026-06-15/a.pdf'];
    expect(requests.map(([, request]) => request)).toEqual(places.map((after) => ({ after })));
  });

  it('it rejects what is no day', async () => {
    await expect(run('artifacts lost', { since: 'May' }).output).rejects.toThrow('--since takes a day');
  });
});
