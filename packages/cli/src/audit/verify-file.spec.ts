import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { canonicalJson, type RequestOf, readSeries } from '@pinkas/contracts';
import { readChromiumFile, Signer } from '@pinkas/pdf';
import { createTestCertificate } from '@pinkas/testkit';
import { chromiumPdf } from '@pinkas/testkit/pdf';
import { run } from '../../test/run.js';

const sha256 = (value: string | Buffer) => createHash('sha256').update(value).digest('hex');
const business_id = '00000000-0000-4000-8000-000000000001';
const type = 'tax_invoice';

interface Line {
  facts: string;
  hash: string;
}

describe('pinkas audit verify-file', () => {
  let folder: string;
  let signer: Signer;
  let pdf: Buffer;
  const path = (name: string) => join(folder, name);
  /** Four documents, of which the second has the PDF. */
  const chainOf = (files: readonly string[]): Line[] => {
    const lines: Line[] = [];
    for (const [index, artifact_sha256] of files.entries()) {
      const previous = lines.at(-1)?.hash ?? null;
      const facts = canonicalJson({
        previous,
        business_id,
        type,
        number: index + 1,
        id: randomUUID(),
        artifact_sha256,
      });
      lines.push({ facts, hash: sha256(facts) });
    }
    return lines;
  };
  const statementOf = async (n: number, previous: string | null, head: { n: number; hash: string }) => {
    const at = new Date();
    const heads = [{ service: 'issuing', business_id, type, ...head }];
    const statement = canonicalJson({ n, at: at.toISOString(), previous, heads });
    const signature = await signer.signDigest(createHash('sha256').update(statement).digest(), at);
    const certificate_sha256 = signer.certificate.fingerprint.toString('hex');
    return { statement, signature: signature.toString('base64'), certificate_sha256 };
  };
  const write = (name: string, lines: readonly object[]) =>
    writeFile(path(name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  let chain: Line[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinkas-file-'));
    const { file, password } = await createTestCertificate();
    signer = await Signer.open(await readFile(file), password, new Date());
    pdf = await signer.sign(
      readChromiumFile(chromiumPdf('nonce')),
      { documentId: randomUUID(), title: 'כותרת', author: 'עסק', language: 'he', issuedAt: new Date() },
      { reason: 'מסמך ממוחשב', location: 'חיפה', contact: null, signedAt: new Date() },
    );
    await writeFile(path('a.pdf'), pdf);
    chain = chainOf(['a', sha256(pdf), 'c', 'd'].map((name) => (name.length === 1 ? sha256(name) : name)));
    const first = await statementOf(1, null, { n: 1, hash: chain[0]?.hash ?? '' });
    const second = await statementOf(2, sha256(first.statement), { n: 3, hash: chain[2]?.hash ?? '' });
    await write('heads.jsonl', [first, second]);
    await write('chains.jsonl', chain);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const verify = async (words: Record<string, string>) => {
    const { output, subjects } = run('audit verify-file', words);
    const { json, failure, text } = await output;
    expect(subjects).toEqual([]);
    return { json: json as { ok: boolean; findings: string[] }, failure, text };
  };
  const files = (change: Record<string, string> = {}) => ({
    FILE: path('a.pdf'),
    heads: path('heads.jsonl'),
    chains: path('chains.jsonl'),
    ...change,
  });

  it('a file whose hash is in a chain up to a signed head is proven, without a call', async () => {
    const { json, failure, text } = await verify(files());
    expect(json).toMatchObject({
      ok: true,
      sha256: sha256(pdf),
      document: { type, number: 2, end: { n: 3 } },
      findings: [],
    });
    expect(failure).toBeUndefined();
    expect(text).toContain('its chain is unbroken up to number 3, whose hash was signed at');
  });

  it('a changed file, another signer, and a file that is no PDF are not proven', async () => {
    const changed = Buffer.from(pdf);
    changed[60] = (changed[60] ?? 0) ^ 1;
    await writeFile(path('changed.pdf'), changed);
    await writeFile(path('text.pdf'), 'text');
    const unknown = 'no document of the chains has this file as its first PDF';
    expect((await verify(files({ FILE: path('changed.pdf') }))).json.findings).toEqual([
      'the file was changed after it was signed',
      unknown,
    ]);
    expect((await verify(files({ FILE: path('text.pdf') }))).json.findings).toEqual([
      'the file is no PDF',
      unknown,
    ]);
    const appended = path('appended.pdf');
    await writeFile(appended, Buffer.concat([pdf, Buffer.from('more')]));
    const { json, failure } = await verify(files({ FILE: appended }));
    expect(json).toMatchObject({
      document: { number: 2 },
      findings: ['the signature does not cover the whole file'],
    });
    expect(failure).toBe('the file is not proven: 1 finding');
    const certificate = 'ab'.repeat(32);
    expect((await verify({ FILE: path('a.pdf'), certificate })).json.findings).toEqual([
      'the file is signed by none of the accepted certificates',
    ]);
  });

  it('a chain that was computed again, or has a gap, differs from its signed head', async () => {
    await write('gap.jsonl', [chain[0], chain[2]] as Line[]);
    expect((await verify(files({ chains: path('gap.jsonl') }))).json.findings[0]).toMatch(
      /^the chain breaks at tax_invoice 3/,
    );
    await write('rewritten.jsonl', chainOf([sha256('a'), sha256(pdf), sha256('x')]));
    expect((await verify(files({ chains: path('rewritten.jsonl') }))).json.findings.join()).toMatch(
      /tax_invoice 3 \(.*\) is not the one whose hash was signed at/,
    );
    await write('short.jsonl', chain.slice(0, 2));
    expect((await verify(files({ chains: path('short.jsonl') }))).json.findings).toEqual([
      'no signed head is at or behind its document',
    ]);
  });

  it('a file that cannot be read, and evidence of another form, are named', async () => {
    await expect(verify({ FILE: path('a.pdf') })).rejects.toThrow('name the certificates by --certificate');
    await expect(verify(files({ FILE: path('none.pdf') }))).rejects.toThrow('cannot be read');
    await expect(verify(files({ chains: path('a.pdf') }))).rejects.toThrow(
      'is no file of pinkas audit chains',
    );
  });

  it('audit chains writes every document with what its hash is of', async () => {
    const out = path('written.jsonl');
    const { output } = run(
      'audit chains',
      { business: business_id, out },
      {
        'rpc.gateway.business.show.v1': () => ({ business: { id: business_id } }),
        [readSeries.subject]: ({ type: of, after }: RequestOf<typeof readSeries>) => {
          const lines = of === type ? chain.slice(after?.number ?? 0, (after?.number ?? 0) + 3) : [];
          const records = lines.map((line) => ({
            ...line,
            ...(JSON.parse(line.facts) as { number: number; id: string }),
          }));
          return { records, next_after: records.length === 3 ? records.at(-1) : null };
        },
      },
    );
    expect((await output).json).toEqual({ file: out, written: 4 });
    expect(await readFile(out, 'utf8')).toBe(await readFile(path('chains.jsonl'), 'utf8'));
  });
});
