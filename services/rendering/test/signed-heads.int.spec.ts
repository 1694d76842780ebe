import { createHash, randomUUID, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  checkHeads,
  listSeriesHeads,
  type ReplyOf,
  readHeads,
  type SignedHeads,
  serviceNames,
  signHeads,
  trails,
} from '@pinkas/contracts';
import { requestTimestamp, Signer } from '@pinkas/pdf';
import { createTestCertificate, eventually } from '@pinkas/testkit';
import { TestTimestampAuthority } from '@pinkas/testkit/pdf';
import { sql } from 'kysely';
import { HeadsSigner } from '../src/heads/heads-signer.js';
import { type RenderingUnderTest, startRendering } from './rendering.js';

const dayMs = 24 * 60 * 60 * 1000;

let rendering: RenderingUnderTest;
beforeAll(async () => {
  rendering = await startRendering();
});
afterAll(() => rendering?.stop());

describe('the signed heads', () => {
  const business_id = randomUUID();
  const hash = 'ab'.repeat(32);
  const otherHash = 'cd'.repeat(32);
  /** The end of the chains of issuing. */
  let movedTo = 7;
  let gatewayAt = 3;
  const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');
  beforeAll(async () => {
    rendering.network.answer(listSeriesHeads, ({ after }) => ({
      heads: [
        { business_id, type: after === null ? ('quote' as const) : ('receipt' as const), n: movedTo, hash },
      ],
      next_after: after === null ? { business_id, type: 'quote' as const } : null,
    }));
    for (const service of serviceNames.filter((name) => name !== 'rendering')) {
      rendering.network.answer(trails[service].listChainHeads, () => ({
        heads: service === 'gateway' ? [{ business_id, n: gatewayAt, hash: otherHash }] : [],
        next_after: null,
      }));
    }
  });

  const readAll = async () => {
    const found: ReplyOf<typeof readHeads>['signed'] = [];
    for (let after = 0; ; ) {
      const { signed } = await rendering.network.call(readHeads, { after });
      if (signed.length === 0) {
        return found;
      }
      found.push(...signed);
      after = signed.at(-1)?.n ?? 0;
    }
  };
  const lastSigned = async (): Promise<SignedHeads> => {
    await rendering.network.call(signHeads, {});
    const { n: _, ...signed } = (await readAll()).at(-1) as SignedHeads & { n: number };
    return signed;
  };
  const checkOne = async (signed: SignedHeads) => {
    const { checked } = await rendering.network.call(checkHeads, { statements: [signed] });
    return checked[0];
  };
  const check = async (signed: SignedHeads) => (await checkOne(signed))?.finding;

  it('signHeads signs the ends of the chains of every service that have moved, and each statement continues the one before it', async () => {
    await eventually('the service has signed its first statement', async () => (await readAll()).length > 0);
    const before = (await readAll()).length;
    movedTo = 8;
    gatewayAt = 4;
    expect(await rendering.network.call(signHeads, {})).toEqual({ chains: 3, heads: 3, statements: 1 });
    expect(await rendering.network.call(signHeads, {})).toEqual({ chains: 3, heads: 0, statements: 1 });
    movedTo = 9;
    expect(await rendering.network.call(signHeads, {})).toEqual({ chains: 3, heads: 2, statements: 1 });
    const all = (await readAll()).map(({ statement }) => statement);
    const statements = all.slice(before);
    const headsOf = (n: number, gateway: object[]) => [
      { service: 'issuing', business_id, type: 'quote', n, hash },
      { service: 'issuing', business_id, type: 'receipt', n, hash },
      ...gateway,
    ];
    expect(statements.map((statement) => JSON.parse(statement).heads)).toEqual([
      headsOf(8, [{ service: 'gateway', business_id, type: null, n: 4, hash: otherHash }]),
      [],
      headsOf(9, []),
    ]);
    for (const [index, statement] of statements.entries()) {
      expect(JSON.parse(statement)).toMatchObject({
        n: before + 1 + index,
        at: rendering.clock.now.toISOString(),
        previous: before + index === 0 ? null : sha256Of(all[before + index - 1] ?? ''),
      });
    }
  });

  it('the first statement of a month has the ends of all chains, whatever is stored as stated', async () => {
    const today = rendering.clock.now;
    try {
      rendering.clock.now = new Date(today.getTime() + 32 * dayMs);
      expect(await rendering.network.call(signHeads, {})).toMatchObject({ heads: 3 });
      expect(await rendering.network.call(signHeads, {})).toMatchObject({ heads: 0 });
    } finally {
      rendering.clock.now = today;
      // The statement before is of another month again.
      await rendering.network.call(signHeads, {});
    }
  });

  it('replicas that sign at once after a day add one statement', async () => {
    const before = (await readAll()).length;
    const today = rendering.clock.now;
    rendering.clock.now = new Date(today.getTime() + dayMs);
    try {
      const signer = rendering.service.app.get(HeadsSigner);
      await Promise.all([signer.tick(), signer.tick()]);
      expect((await readAll()).length).toBe(before + 1);
    } finally {
      rendering.clock.now = today;
      // The day after may be of another month.
      await rendering.network.call(signHeads, {});
    }
  });

  it('an end that is behind the stated one, as it was collected before it, is not stated', async () => {
    movedTo = 7;
    expect(await rendering.network.call(signHeads, {})).toEqual({ chains: 3, heads: 0, statements: 1 });
  });

  it('readHeads returns every statement once, as many at a time as fit into a message', async () => {
    const before = (await readAll()).length;
    const large = 'x'.repeat(150_000);
    const { signature, certificate_sha256 } = await rendering.database.db
      .selectFrom('signed_heads')
      .selectAll()
      .limit(1)
      .executeTakeFirstOrThrow();
    await rendering.database.db.transaction().execute(async (trx) => {
      for (const [index, statement] of ['a', large, large, large, 'x'.repeat(500_000), 'b'].entries()) {
        const n = before + 1 + index;
        const row = { n, signed_at: new Date(), statement, signature, certificate_sha256 };
        await trx.insertInto('signed_heads').values(row).execute();
      }
    });
    const sizes: number[] = [];
    for (let after = before; sizes.length < 10; ) {
      const { signed } = await rendering.network.call(readHeads, { after });
      sizes.push(signed.length);
      after += signed.length;
      if (signed.length === 0) {
        break;
      }
      expect(signed.at(-1)?.n).toBe(after);
    }
    expect(sizes).toEqual([3, 1, 1, 1, 0]);
  });

  it('CheckHeads accepts what was signed, and rejects a changed byte of the statement or of the signature', async () => {
    const signed = await lastSigned();
    expect(await check(signed)).toBeNull();
    const changed = signed.statement.replace('"heads":[', '"heads": [');
    expect(await check({ ...signed, statement: changed })).toBe('the file was changed after it was signed');
    const bytes = Buffer.from(signed.signature, 'base64');
    bytes[bytes.length - 5] = (bytes.at(-5) ?? 0) ^ 1;
    expect(await check({ ...signed, signature: bytes.toString('base64') })).not.toBeNull();
    expect(await check({ ...signed, certificate_sha256: hash })).toBe(
      'the signature is of another certificate',
    );
    expect(await check({ ...signed, statement: 'x' })).toBe('it is no statement');
  });

  it('CheckHeads shows how rendering knows the certificate of a statement and of its time-stamp', async () => {
    const other = await createTestCertificate();
    const authority = await TestTimestampAuthority.start();
    const at = new Date();
    const statement = JSON.stringify({ n: 1, at: at.toISOString(), previous: null, heads: [] });
    const digest = createHash('sha256').update(statement).digest();
    try {
      const signer = await Signer.open(await readFile(other.file), other.password, at, () => ({
        requestTimestamp: (signatureValue) =>
          requestTimestamp(authority.url, signatureValue, { timeoutMs: 10_000, now: () => at }),
      }));
      const signed = {
        statement,
        signature: (await signer.signDigest(digest, at)).toString('base64'),
        certificate_sha256: signer.certificate.fingerprint.toString('hex'),
      };
      const authoritySha256 = createHash('sha256')
        .update(new X509Certificate(authority.certificate.certificate).raw)
        .digest();
      const timestamp = { at: expect.any(String), certificates: [authoritySha256.toString('hex')] };
      expect(await checkOne(signed)).toEqual({
        finding: null,
        certificate: 'unknown',
        timestamp: { ...timestamp, known: false },
      });
      await rendering.database.db
        .insertInto('heads_certificate')
        .values([
          { sha256: signer.certificate.fingerprint, purpose: 'statement', since: at },
          { sha256: authoritySha256, purpose: 'timestamp', since: at },
        ])
        .execute();
      expect(await checkOne(signed)).toEqual({
        finding: null,
        certificate: 'stored',
        timestamp: { ...timestamp, known: true },
      });
    } finally {
      await authority.stop();
    }
  });

  it('signHeads stores the certificates that it signs with, and CheckHeads knows that of the settings', async () => {
    const signed = await lastSigned();
    expect(await checkOne(signed)).toMatchObject({ certificate: 'configured' });
    const stored = await rendering.database.db
      .selectFrom('heads_certificate')
      .select('purpose')
      .where('sha256', '=', Buffer.from(signed.certificate_sha256, 'hex'))
      .execute();
    expect(stored).toEqual([{ purpose: 'statement' }]);
  });

  it('a statement can be neither changed nor deleted', async () => {
    for (const statement of [
      sql`update signed_heads set n = n`,
      sql`delete from signed_heads`,
      sql`delete from heads_certificate`,
    ]) {
      await expect(statement.execute(rendering.database.db)).rejects.toThrow('cannot be changed');
    }
  });
});
