import { describe, expect, it } from '@jest/globals';
import type { checkHeads, ReplyOf } from '@pinkas/contracts';
import type { Call } from '../command.js';
import { type AcceptedCertificates, HeadsCollection } from './heads.js';

const ours = 'aa'.repeat(32);
const another = 'bb'.repeat(32);
const authority = 'cc'.repeat(32);
const root = 'dd'.repeat(32);
const at = '2026-06-15T08:00:00.000Z';
const statementOf = (certificate_sha256: string) => ({
  statement: JSON.stringify({ n: 1, at, previous: null, heads: [] }),
  signature: '',
  certificate_sha256,
});
type Checked = ReplyOf<typeof checkHeads>;
const timestamp = { at, certificates: [authority, root], known: true };
const sound: Checked = { finding: null, certificate: 'configured', timestamp: null };

describe('HeadsCollection', () => {
  /** What is found of one statement, which rendering checks as given. */
  const findingsOf = async (
    certificate: string,
    checked: Checked,
    accepted: Partial<AcceptedCertificates> = {},
  ) => {
    const all = { statements: null, timestamps: null, ...accepted };
    const collection = new HeadsCollection((async () => checked) as Call, 'the file', all);
    await collection.addAll([statementOf(certificate)]);
    return collection.findings.map(({ message }) => message);
  };
  const named = `the file: statement 1 of ${at}`;

  it('a statement by a certificate that rendering has never signed with is a finding', async () => {
    expect(await findingsOf(ours, sound)).toEqual([]);
    expect(await findingsOf(ours, { ...sound, certificate: 'stored' })).toEqual([]);
    expect(await findingsOf(another, { ...sound, certificate: 'unknown' })).toEqual([
      `${named} is signed by the certificate ${another}, which rendering has never signed with`,
    ]);
  });

  it('a certificate that is named is accepted, and no other, whatever rendering has stored', async () => {
    const statements = new Set([ours]);
    expect(await findingsOf(ours, { ...sound, certificate: 'unknown' }, { statements })).toEqual([]);
    expect(await findingsOf(another, { ...sound, certificate: 'stored' }, { statements })).toEqual([
      `${named} is signed by the certificate ${another}, which --certificate does not name`,
    ]);
  });

  it('a time-stamp of an authority that rendering had none of is a finding', async () => {
    expect(await findingsOf(ours, { ...sound, timestamp })).toEqual([]);
    expect(await findingsOf(ours, { ...sound, timestamp: { ...timestamp, known: false } })).toEqual([
      `${named} has a time-stamp of the certificate ${root}, which gave rendering no time-stamp when it signed`,
    ]);
  });

  it('a named authority, or one above it, must have stamped every statement', async () => {
    const stamped = { ...sound, timestamp: { ...timestamp, known: false } };
    for (const sha256 of [authority, root]) {
      expect(await findingsOf(ours, stamped, { timestamps: new Set([sha256]) })).toEqual([]);
    }
    const timestamps = new Set([another]);
    expect(await findingsOf(ours, stamped, { timestamps })).toEqual([
      `${named} has a time-stamp of the certificate ${root}, which --timestamp-certificate does not name`,
    ]);
    expect(await findingsOf(ours, sound, { timestamps })).toEqual([`${named} has no time-stamp`]);
  });
});
