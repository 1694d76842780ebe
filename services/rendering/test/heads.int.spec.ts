import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  auditing,
  checkHeads,
  listSeriesHeads,
  readHeads,
  type SignedHeads,
  serviceNames,
  signHeads,
} from '@pinkas/contracts';
import { sql } from 'kysely';
import { type RenderingUnderTest, startRendering } from './rendering.js';

describe('the signed heads', () => {
  let rendering: RenderingUnderTest;
  const business_id = randomUUID();
  const hash = 'ab'.repeat(32);
  beforeAll(async () => {
    rendering = await startRendering();
    rendering.network.answer(listSeriesHeads, ({ after }) => ({
      heads: [{ business_id, type: after === null ? ('quote' as const) : ('receipt' as const), n: 7, hash }],
      next_after: after === null ? { business_id, type: 'quote' as const } : null,
    }));
    for (const service of serviceNames.filter((name) => name !== 'rendering')) {
      rendering.network.answer(auditing[service].listChainHeads, () => ({
        heads: service === 'gateway' ? [{ business_id, n: 3, hash }] : [],
        next_after: null,
      }));
    }
  }, 60_000);
  afterAll(() => rendering?.stop());

  const read = async (after: number) => (await rendering.network.call(readHeads, { after })).signed;
  const check = async (signed: SignedHeads) => (await rendering.network.call(checkHeads, signed)).finding;

  it('SignHeads signs the ends of the chains of every service, and each statement continues the one before it', async () => {
    const { n: before = 0 } = (await read(0)) ?? {};
    expect(await rendering.network.call(signHeads, {})).toEqual({ heads: 3, statements: 1 });
    expect(await rendering.network.call(signHeads, {})).toEqual({ heads: 3, statements: 1 });
    const first = await read(before);
    const second = await read(before + 1);
    expect(JSON.parse(first?.statement ?? '')).toEqual({
      n: before + 1,
      at: rendering.clock.now.toISOString(),
      previous: before === 0 ? null : expect.any(String),
      heads: [
        { service: 'issuing', business_id, type: 'quote', n: 7, hash },
        { service: 'issuing', business_id, type: 'receipt', n: 7, hash },
        { service: 'gateway', business_id, type: null, n: 3, hash },
      ],
    });
    const previous = createHash('sha256')
      .update(first?.statement ?? '')
      .digest('hex');
    expect(JSON.parse(second?.statement ?? '')).toMatchObject({ n: before + 2, previous });
  });

  it('CheckHeads accepts what was signed, and rejects a changed byte of the statement or of the signature', async () => {
    await rendering.network.call(signHeads, {});
    const { n: _, ...signed } = (await read(0)) ?? {
      n: 0,
      statement: '',
      signature: '',
      certificate_sha256: '',
    };
    expect(await check(signed)).toBeNull();
    const changed = signed.statement.replace('"n":7', '"n":8');
    expect(await check({ ...signed, statement: changed })).toBe('the file was changed after it was signed');
    const bytes = Buffer.from(signed.signature, 'base64');
    bytes[bytes.length - 5] = (bytes.at(-5) ?? 0) ^ 1;
    expect(await check({ ...signed, signature: bytes.toString('base64') })).not.toBeNull();
    expect(await check({ ...signed, certificate_sha256: hash })).toBe(
      'the signature is of another certificate',
    );
    expect(await check({ ...signed, statement: 'x' })).toBe('it is no statement');
  });

  it('a statement can be neither changed nor deleted', async () => {
    for (const statement of [sql`update signed_heads set n = n`, sql`delete from signed_heads`]) {
      await expect(statement.execute(rendering.database.db)).rejects.toThrow('cannot be changed');
    }
  });
});
