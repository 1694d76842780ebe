import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { leaksIn, personalDataOf } from '../harness/personal-data.js';

const key = 'pk_live_AAAABBBB_0123456789012345678901234567890123456789abc';
const request = {
  customer: {
    name: 'לקוח לדוגמה',
    email: 'Customer@example.com',
    phone: '050-123 4567',
    tax_id: '777777723',
  },
  accountant_copy: { email: 'books@example.com' },
  items: [{ description: 'שירות', quantity: 1 }],
  key,
};

describe('the search for personal data in logs', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinkas-logs-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  const leaks = async (line: string) => {
    await writeFile(join(folder, 'service.log'), `{"msg":"ready"}\n${line}\n`);
    return leaksIn(folder, personalDataOf(request));
  };

  it('personal data of a request is found at any depth', () => {
    expect(personalDataOf(request).sort()).toEqual(
      ['050-123 4567', '777777723', 'Customer@example.com', 'books@example.com', key].sort(),
    );
  });

  it.each([
    ['an e-mail address', '{"msg":"sent to <customer@example.com>"}'],
    ['an e-mail address in a quoted text', '{"err":"{\\"email\\":\\"customer@example.com\\"}"}'],
    ['a telephone number, however it is written', 'call 0501234567 now'],
    ['a tax id', 'Key (business_id, tax_id)=(1, 777777723) already exists'],
    ['a key', `authorization: Bearer ${key}`],
  ])('the search finds %s', async (_what, line) =>
    expect(await leaks(line)).toEqual([{ file: 'service.log', line }]),
  );

  it.each([
    ['another number', '{"time":1777777723123,"pid":77777772}'],
    ['an id that holds the digits', '{"id":"0f77777772-777777723a"}'],
    ['the leading characters of a key', '{"prefix":"pk_live_AAAABBBB"}'],
  ])('the search does not report %s', async (_what, line) => expect(await leaks(line)).toEqual([]));
});
