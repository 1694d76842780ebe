import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDocumentExamples, replyExamples } from '@pinkas/contracts/openapi';
import { AnsweringServer, answer } from './answering-server.js';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const created = replyExamples('https://api.example.com/docs').createDocument.tax_invoice_receipt.value;

/* A program of a caller: no workspace, no other package. */
const program = `
import { PinkasClient, PinkasError, type CreateDocument, type CreateResult } from '@pinkas/client';
const [baseUrl = '', text = ''] = process.argv.slice(2);
const body = JSON.parse(text) as CreateDocument;
const pinkas = new PinkasClient({ baseUrl, apiKey: 'pk_live_EXAMPLE0_notakeynotakeynotakey' });
const result: CreateResult = await pinkas.createDocument(body, { idempotencyKey: 'order-1' });
const number: number = result.document.number;
console.log(JSON.stringify([number, result.idempotencyKey, typeof PinkasError]));
`;

/* Its own compiler would be fetched from a registry; the one of the repository is the same program. */
const compilerOptions = {
  target: 'es2023',
  lib: ['es2023'],
  module: 'nodenext',
  strict: true,
  skipLibCheck: false,
  types: ['node'],
  typeRoots: [join(repository, 'node_modules/@types')],
};

describe('the packed file', () => {
  let folder: string;
  let server: AnsweringServer;
  beforeAll(async () => {
    server = await AnsweringServer.start();
    folder = await mkdtemp(join(tmpdir(), 'pinkas-client-'));
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const run = (command: string, args: string[], cwd = folder) =>
    promisify(execFile)(command, args, {
      cwd,
      timeout: 60_000,
      // A program of a caller runs without the options of the tests.
      env: { PATH: process.env.PATH, HOME: folder },
    });

  it('the packed files have licence, readme and programs, and that of the client also types and examples', async () => {
    const packages = ['client', 'mcp'].flatMap((name) => ['-w', `@pinkas/${name}`]);
    const { stdout } = await run(
      'npm',
      ['pack', '--dry-run', '--json', '--ignore-scripts', ...packages],
      repository,
    );
    const packed = Object.values<{ name: string; files: { path: string }[] }>(JSON.parse(stdout));
    const filesOf = (name: string) =>
      packed
        .find((found) => found.name === name)
        ?.files.map(({ path }) => path)
        .sort();
    expect(filesOf('@pinkas/client')).toEqual(
      expect.arrayContaining([
        ...[
          'LICENSE',
          'README.md',
          'dist/index.js',
          'dist/index.d.ts',
          'dist/webhooks.js',
          'dist/webhooks.d.ts',
        ],
        ...(await readdir(join(repository, 'packages/client/examples'))).map((file) => `examples/${file}`),
        'dist/listen/main.js',
      ]),
    );
    expect(filesOf('@pinkas/mcp')).toEqual(['LICENSE', 'README.md', 'dist/bundle/main.js', 'package.json']);
  });

  it('a program that installs the packed file compiles and issues a document', async () => {
    await run('npm', ['pack', '-w', '@pinkas/client', '--pack-destination', folder], repository);
    const [file = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${file}`]);
    expect(await readdir(join(folder, 'node_modules/@pinkas'))).toEqual(['client']);

    await writeFile(join(folder, 'program.ts'), program);
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['program.ts'] }),
    );
    await run(join(repository, 'node_modules/.bin/tsc'), ['-p', '.']);

    server.script(answer(201, created));
    const sent = createDocumentExamples.tax_invoice_receipt;
    const { stdout } = await run(process.execPath, ['program.js', server.baseUrl, JSON.stringify(sent)]);
    expect(JSON.parse(stdout)).toEqual([created.number, 'order-1', 'function']);
    expect(JSON.parse(server.arrived[0]?.body ?? '')).toEqual(sent);
  });
});
