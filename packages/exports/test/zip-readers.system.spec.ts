import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Call, getArtifact } from '@pinkas/contracts';
import { writeDocuments } from '../src/index.js';
import { zipFiles } from '../src/zip-files.js';
import { exampleBook } from './example-book.js';

const installMs = 240_000;
const execute = promisify(execFile);
const run = async (command: string, args: readonly string[], timeout = 60_000): Promise<string> =>
  (await execute(command, args, { timeout })).stdout;

const java = `import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.zip.ZipInputStream;
public class ReadZip {
  public static void main(String[] arguments) throws Exception {
    try (var zip = new ZipInputStream(new java.io.FileInputStream(arguments[0]))) {
      for (var entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        var digest = MessageDigest.getInstance("SHA-256").digest(zip.readAllBytes());
        System.out.println(HexFormat.of().formatHex(digest) + "  " + entry.getName());
      }
    }
  }
}
`;
const python = `import hashlib, sys
from stream_unzip import stream_unzip
with open(sys.argv[1], 'rb') as file:
    for name, _size, chunks in stream_unzip(iter(lambda: file.read(4096), b'')):
        digest = hashlib.sha256()
        for chunk in chunks:
            digest.update(chunk)
        print(digest.hexdigest() + '  ' + name.decode())
`;

/** Reads a zip from its first byte to its last, and prints the sum of each file. */
type Read = (zip: string) => Promise<string>;
const programs: Readonly<Record<string, (folder: string) => Promise<Read>>> = {
  async "Java's ZipInputStream"(folder) {
    const script = join(folder, 'ReadZip.java');
    await writeFile(script, java);
    await run('java', ['-version']);
    return (zip) => run('java', [script, zip]);
  },
  async 'stream-unzip'(folder) {
    const environment = join(folder, 'python');
    const program = join(environment, 'bin/python');
    await run('python3', ['-m', 'venv', environment], installMs);
    await run(program, ['-m', 'pip', 'install', '--quiet', 'stream-unzip'], installMs);
    return (zip) => run(program, ['-I', '-c', python, zip]);
  },
};

describe('zips that are read front to back', () => {
  const readers = new Map<string, Read>();
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinkas-zip-readers-'));
    const absent: string[] = [];
    for (const [name, open] of Object.entries(programs)) {
      await open(folder).then(
        (read) => readers.set(name, read),
        () => absent.push(name),
      );
    }
    if (absent.length > 0) {
      process.stderr.write(`reading zips front to back is not tried with ${absent.join(', ')}: not there\n`);
    }
  }, 2 * installMs);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('programs that read a stream read each PDF of an export', async () => {
    const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(40_000)]);
    const book = exampleBook(3);
    const call = (async (contract) =>
      contract.subject === getArtifact.subject
        ? { revision: 1, sha256: '', pdf: pdf.toString('base64'), cancelled: false }
        : { entries: book, next_after: null }) as Call;
    const out = join(folder, 'export');
    const range = { businessId: book[0]?.document.business_id ?? '', from: '2026-01-01', to: '2026-12-31' };
    const urls = { viewUrlBase: 'https://api.example.com/d', pdfUrlBase: 'https://api.example.com/pdf' };
    await writeDocuments(call, { ...range, urls, format: 'pdf-zip', folder: out }, () => {});
    const inner = join(out, 'documents-00001.zip');
    const outer = join(folder, 'export.zip');
    await zipFiles(outer, [{ path: inner, name: 'documents-00001.zip' }], new Date('2026-01-01T12:00:00Z'));
    const sum = createHash('sha256').update(pdf).digest('hex');
    for (const [reader, read] of readers) {
      const lines = (await read(inner)).trim().split('\n');
      expect([reader, lines.slice(0, 3)]).toEqual([
        reader,
        [1, 2, 3].map((number) => `${sum}  ${book[0]?.document.type}-${number}.pdf`),
      ]);
      expect(lines).toHaveLength(4);
      expect(await read(outer)).toMatch(/^[0-9a-f]{64} {2}documents-00001\.zip\n$/);
    }
  }, 120_000);
});
