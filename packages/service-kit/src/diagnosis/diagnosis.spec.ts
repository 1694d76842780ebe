import { describe, expect, it } from '@jest/globals';
import { archiveCheck } from './database-checks.js';
import { checkPublicAddresses, Diagnosis, ok } from './diagnosis.js';
import { bytesText, secondsText } from './quantities.js';

describe('checkPublicAddresses', () => {
  const check = (production: boolean, url: string) =>
    checkPublicAddresses(production, { BASE_URL: url, DOCS_URL: 'https://docs.pinkas.co.il' })[0];

  it.each([
    ['https://api.pinkas.co.il/v1', 'ok', 'ok'],
    ['http://api.pinkas.co.il/v1', 'failure', 'warning'],
    ['https://api.example.com/v1', 'failure', 'warning'],
    ['http://127.0.0.1:8080/v1', 'failure', 'warning'],
  ])('the address %s is %s in production, and %s where the system is tried out', (url, real, tried) => {
    expect([check(true, url)?.state, check(false, url)?.state]).toEqual([real, tried]);
  });

  it('addresses that all lead to this machine are those of a system for trying out', () => {
    const checks = checkPublicAddresses(true, { BASE_URL: 'http://127.0.0.1:8080/v1' });
    expect(checks.map(({ subject, state }) => [subject, state])).toEqual([
      ['BASE_URL', 'ok'],
      ['public addresses', 'warning'],
    ]);
  });
});

describe('archiveCheck', () => {
  const row = {
    mode: 'on',
    timeoutSeconds: 300,
    segmentBytes: 16 * 1024 ** 2,
    current: '000000010000000200000000',
    archived: '0000000100000001000000FF' as string | null,
    archivedSeconds: 7_200 as number | null,
    isFailing: false,
  };

  it.each([
    ['the last full segment is archived', {}, 'ok'],
    ['full segments wait for hours', { archived: '0000000100000001000000FC' }, 'failure'],
    ['full segments wait for a minute', { archived: '0000000100000001000000FC', archivedSeconds: 60 }, 'ok'],
    ['the archiver fails', { isFailing: true }, 'failure'],
    ['nothing is archived', { mode: 'off' }, 'warning'],
    ['nothing was archived yet', { archived: null, archivedSeconds: null }, 'warning'],
    ['segments are archived only when they are full', { timeoutSeconds: 0 }, 'warning'],
  ])('the archive has its state where %s', (_what, change, state) => {
    expect(archiveCheck('log', { ...row, ...change })).toMatchObject({ area: 'backups', state });
  });
});

describe('Diagnosis', () => {
  it('a check that throws is not checked, and the others are there', async () => {
    const diagnosis = new Diagnosis('delivery');
    diagnosis.add('mail', () => {
      throw new Error('no such file');
    });
    diagnosis.add('mail', () => [ok('mail', 'server', 'answers')]);
    expect(await diagnosis.run()).toMatchObject([
      { subject: 'mail of delivery', state: 'not_checked', finding: 'the check failed: no such file' },
      { state: 'ok' },
    ]);
  });
});

it('sizes and times have the unit that people read', () => {
  expect([0, 900, 3_100_000, 2 ** 31].map(bytesText)).toEqual(['0 bytes', '900 bytes', '3.0 MiB', '2.0 GiB']);
  expect([5, 150, 9_000, 200_000].map(secondsText)).toEqual(['5 s', '3 min', '3 h', '2 days']);
});
