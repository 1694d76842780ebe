import { describe, expect, it } from '@jest/globals';
import { readLinks, readStatuses } from './transmission-interface.js';

const link = (fileName: string) => ({
  fileName,
  signUrl: 'https://storage.googleapis.com/x',
  fileUniqueId: `id of ${fileName}`,
  headers: { 'X-Goog-Content-Length-Range': '0,1048576', 'x-goog-resumable': 'start' },
});
const linksOf = (...files: readonly object[]) =>
  readLinks(JSON.stringify({ success: true, data: { uniqueId: 'u', files }, error: null }));

describe('readLinks', () => {
  it('a link names its file, its limit and the headers that begin the upload', () => {
    expect(linksOf(link('INI.TXT'), link('BKMVDATA.zip'))).toEqual({
      outcome: 'done',
      reason: null,
      id: 'u',
      files: ['INI.TXT', 'BKMVDATA.zip'].map((name) => ({
        name,
        id: `id of ${name}`,
        url: 'https://storage.googleapis.com/x',
        headers: [
          { name: 'x-goog-content-length-range', value: '0,1048576' },
          { name: 'x-goog-resumable', value: 'start' },
        ],
        max_bytes: 1_048_576,
      })),
    });
  });

  it('a link without an ending gets the text', () => {
    expect(linksOf(link('BKMVDATA')).files[0]?.name).toBe('BKMVDATA.TXT');
  });

  it('a business of which nothing is asked differs from an error', () => {
    const failed = (message: string) =>
      readLinks(JSON.stringify({ success: false, data: null, error: { errorCode: 1, message } }));
    expect(failed('There is no requirement for a uniform structure file').outcome).toBe('not_required');
    expect(failed('another')).toMatchObject({ outcome: 'failed', reason: 'another' });
  });

  it.each([['{'], ['[]'], ['{"success":true,"data":{"files":[]}}']])(
    'the answer %s cannot be used',
    (body) => {
      const read = () => readLinks(body);
      if (body === '[]') {
        expect(read()).toMatchObject({ outcome: 'failed' });
      } else {
        expect(read).toThrow('the answer');
      }
    },
  );

  it('a link of an unknown file, or without an address, cannot be used', () => {
    expect(() => linksOf(link('README'))).toThrow('a link has no id');
    expect(() => linksOf({ ...link('INI.TXT'), signUrl: '' })).toThrow('a link has no id');
  });
});

describe('readStatuses', () => {
  const asked = { business_id: 'b', files: [{ id: 'a', name: 'INI.TXT' } as const] };
  const statusOf = (...items: readonly object[]) => readStatuses(JSON.stringify(items), asked)[0];

  it('a status is found by the id, whichever member holds it', () => {
    const rejected = { status: 'Rejected', description: 'wrong' };
    const read = { id: 'a', status: 'rejected', description: 'wrong' };
    expect(statusOf({ fileName: 'a', ...rejected })).toEqual(read);
    expect(statusOf({ fileName: 'INI.TXT', fileUniqueId: 'a', ...rejected })).toEqual(read);
  });

  it('a file that the authority does not know yet has an unknown status', () => {
    expect(statusOf({ fileName: 'a', status: '' })?.status).toBe('unknown');
    expect(statusOf({ fileName: 'b', status: 'Approved' })?.status).toBe('unknown');
    expect(statusOf()?.status).toBe('unknown');
  });

  it('an error in place of the list is its reason', () => {
    const body = JSON.stringify({ success: false, error: { message: 'no such file' } });
    expect(() => readStatuses(body, asked)).toThrow('no such file');
  });
});
