import { execFile, execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { publicRoutes } from '@pinkas/contracts';
import { createDocumentExamples } from '@pinkas/contracts/openapi';
import { npmSettings } from '../harness/npm-settings.js';
import { RunningStack } from '../harness/running-stack.js';
import { repositoryRoot } from '../harness/sources.js';
import { programs } from './generated-client-programs.js';
import { otherGenerators } from './other-generators.js';
import { exampleShop } from './php/example-shop.js';
import { fromWooCommerce } from './php/from-woocommerce.js';
import { PhpDriver } from './php/php-driver.js';
import { phpOnTheRunningSystem } from './php/running-system.js';
import { scriptedCalls } from './php/scripted-calls.js';
import { receivers } from './receivers.js';

const run = promisify(execFile);
const toolTimeoutMs = 600_000;
/** The CI that releases sets it: there a missing tool is a failure. */
const isRequired = process.env.GENERATOR_TESTS === 'required';
const generatorJar = join(
  homedir(),
  '.m2/repository/org/openapitools/openapi-generator-cli/7.17.0/openapi-generator-cli-7.17.0.jar',
);
const oapiCodegen = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const operations: readonly string[] = publicRoutes.map(({ operation }) => operation).sort();
/** Its amount has more digits than a 32-bit float holds. */
const quote = {
  ...createDocumentExamples.quote,
  items: [{ description: 'Example', quantity: 1, unit_price: 12_345_678.91 }],
  discount: undefined,
} as const;
const pythonPackages = [
  'openapi-python-client==0.29.1',
  'pydantic==2.14.4',
  'python-dateutil==4.0.0',
  'urllib3==2.8.0',
  'typing-extensions==4.16.0',
  'standardwebhooks==1.1.0',
  'jsonschema==4.26.0',
];

// Registries, compilers and virtual machines on a busy machine: a bound, not a measure.
jest.setTimeout(900_000);

/** Clients that other people's generators make of the OpenAPI document. */
describe('generated clients', () => {
  let stack: RunningStack;
  let folder: string;
  let specification: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinkas-generated-'));
    stack = await RunningStack.start();
    const response = await fetch(`${(await stack.file()).base_url}/openapi.json`);
    specification = join(folder, 'openapi.json');
    await writeFile(specification, await response.text());
  });
  afterAll(async () => {
    (await phpDriver?.catch(() => undefined))?.stop();
    await stack?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const tool = async (command: string, args: readonly string[], cwd = folder) => {
    const { PATH, HOME } = process.env;
    const options = {
      cwd,
      timeout: toolTimeoutMs,
      maxBuffer: 64 << 20,
      env: { PATH, HOME, CI: '1', ...npmSettings() },
    };
    return (await run(command, [...args], options)).stdout;
  };
  const python = () => join(folder, 'venv/bin/python');

  /** Installs packages in a folder of their own. */
  async function installNpm(name: string, ...packages: readonly string[]): Promise<void> {
    const cwd = join(folder, name);
    await mkdir(cwd, { recursive: true });
    await writeFile(join(cwd, 'package.json'), '{"private":true,"type":"module"}');
    await tool('npm', ['install', '--no-audit', '--no-fund', ...packages], cwd);
  }

  /** What is fetched from a registry, once; each resolves to whether it is there. */
  const fetched = new Map<string, Promise<boolean>>();
  const fetchOnce = (name: string, fetch: () => Promise<unknown>) => {
    const known =
      fetched.get(name) ??
      fetch().then(
        () => true,
        () => false,
      );
    fetched.set(name, known);
    return known;
  };
  const needs = {
    jar: () =>
      fetchOnce('jar', () =>
        tool('mvn', [
          '-q',
          '-B',
          'dependency:get',
          '-Dtransitive=false',
          '-Dartifact=org.openapitools:openapi-generator-cli:7.17.0',
        ]),
      ),
    pypi: () =>
      fetchOnce('pypi', async () => {
        await tool('python3', ['-m', 'venv', 'venv']);
        await tool(python(), ['-m', 'pip', 'install', '-q', ...pythonPackages]);
      }),
    django: () =>
      fetchOnce('django', async () => {
        if (!(await needs.pypi())) {
          throw new Error('no environment of Python');
        }
        await tool(python(), ['-m', 'pip', 'install', '-q', 'django==5.2.19']);
      }),
    /** With the client that the system serves, as the page states. */
    receivers: () =>
      fetchOnce('receivers', async () => {
        const { origin } = new URL((await stack.file()).base_url);
        const nest = ['common', 'core', 'platform-express'].map((name) => `@nestjs/${name}@11`);
        await installNpm('receivers', 'express@5', ...nest, 'standardwebhooks@1', `${origin}/client.tgz`);
      }),
    /** The compiler before the one of the repository: generators are written for its interface. */
    typescript: () =>
      fetchOnce('typescript', () =>
        installNpm(
          'typescript',
          ...[
            'typescript@5',
            'esbuild@0',
            '@hey-api/openapi-ts@0.95.0',
            'oazapfts@7.5.0',
            '@oazapfts/runtime@1',
          ],
          ...['@arethetypeswrong/cli@0.18.5', 'publint@0.3.25'],
        ),
      ),
    npm: () => fetchOnce('npm', () => installNpm('npm', 'openapi-typescript@7', 'openapi-fetch@0')),
    postman: () =>
      fetchOnce('postman', () => installNpm('postman', 'openapi-to-postmanv2@6.3.3', 'newman@6.2.2')),
    bruno: () => fetchOnce('bruno', () => installNpm('bruno', '@usebruno/cli@4.1.0')),
    go: () => fetchOnce('go', () => tool('go', ['run', oapiCodegen, '--version'])),
    /** Of the system, as `php-guzzlehttp-guzzle` of Debian and Ubuntu installs it. */
    guzzle: () => fetchOnce('guzzle', () => tool('php', ['-r', "require 'GuzzleHttp/autoload.php';"])),
  };
  type Need = keyof typeof needs;

  /** Whether a program can be made here; states what is missing. */
  async function canMake(
    name: string,
    commands: readonly string[],
    packages: readonly Need[],
  ): Promise<boolean> {
    const missing = commands.filter((command) => !isInstalled(command));
    for (const need of missing.length === 0 ? packages : []) {
      if (!(await needs[need]())) {
        missing.push(`the packages of ${need}`);
      }
    }
    if (missing.length > 0) {
      const line = `generated-clients: no ${missing.join(', ')}: ${name} is NOT tested\n`;
      if (isRequired) {
        throw new Error(line);
      }
      process.stderr.write(line);
    }
    return missing.length === 0;
  }

  /** A program with the client of `packages/client-php`, where PHP is there. */
  let phpDriver: Promise<PhpDriver | undefined> | undefined;
  const php = () => {
    phpDriver ??= canMake('PHP (packages/client-php)', ['php'], ['guzzle']).then((can) =>
      can ? PhpDriver.start(folder) : undefined,
    );
    return phpDriver;
  };
  const system = () => stack;
  scriptedCalls(php);
  phpOnTheRunningSystem(system, php);
  fromWooCommerce(system, php);
  exampleShop(system, php, () => folder);
  receivers(system, { folder: () => folder, canMake, tool, python });

  /** Runs openapi-generator. Returns the folder of the client. */
  async function generate(generator: string, options: readonly string[] = []): Promise<string> {
    const target = join(folder, generator);
    const from = ['-i', specification, '-g', generator, '-o', target];
    await tool('java', ['-XX:TieredStopAtLevel=1', '-jar', generatorJar, 'generate', ...from, ...options]);
    return target;
  }

  otherGenerators(system, {
    ...{ folder: () => folder, canMake, tool, python, specification: () => specification },
    generate: (generator) => generate(generator),
    compileTypeScript: (cwd, file) => compileTypeScript(cwd, file),
  });

  /** Compiles a file and what it imports by the compiler of the repository, libraries included. */
  async function compileTypeScript(cwd: string, file: string): Promise<void> {
    const compilerOptions = {
      target: 'es2023',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2023', 'dom', 'dom.iterable'],
      strict: true,
      skipLibCheck: false,
      types: [],
      outDir: 'dist',
    };
    await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
    await tool(join(repositoryRoot, 'node_modules/.bin/tsc'), ['-p', '.'], cwd);
  }

  /** Runs a program that calls every operation, and expects that it has. */
  async function expectCalls(command: string, args: readonly string[], cwd: string): Promise<void> {
    const { key } = await stack.newIssuer({ tax_authority_connected: true });
    const { base_url: baseUrl } = await stack.file();
    const printed = await tool(command, [...args, baseUrl, key, JSON.stringify(quote)], cwd);
    const called: unknown = JSON.parse(printed.trim().split('\n').at(-1) ?? '');
    expect(called).toEqual(operations);
    const headers = { authorization: `Bearer ${key}` };
    const list = await fetch(`${baseUrl}/documents?include_cancelled=true`, { headers });
    const { data } = (await list.json()) as { data: object[] };
    expect(data).toMatchObject([{ totals: { subtotal: quote.items[0].unit_price } }]);
  }

  /** Sends the imported request of an operation that issues, twice and for a business of its own. */
  async function expectIssuedOnce(send: (key: string) => Promise<unknown>): Promise<void> {
    const { key } = await stack.newIssuer({ tax_authority_connected: true });
    const { base_url: baseUrl } = await stack.file();
    await send(key);
    await send(key);
    const list = await fetch(`${baseUrl}/documents`, { headers: { authorization: `Bearer ${key}` } });
    const { type, expected_total, external_ref } = createDocumentExamples.tax_invoice_receipt;
    expect(await list.json()).toMatchObject({
      data: [{ type, external_ref, totals: { total: expected_total } }],
    });
  }

  it('the client of openapi-python-client imports and calls every operation', async () => {
    if (await canMake('Python (openapi-python-client)', ['python3'], ['pypi'])) {
      const options = ['--output-path', 'client', '--meta', 'none'];
      await tool(join(folder, 'venv/bin/openapi-python-client'), [
        'generate',
        '--path',
        specification,
        ...options,
      ]);
      await writeFile(join(folder, 'call.py'), programs.pythonClient);
      await expectCalls(python(), ['call.py'], folder);
    }
  });

  it('the page about Python is a module with retries, cursors, money and webhooks', async () => {
    if (await canMake('Python (docs/python.md)', ['python3'], ['pypi'])) {
      const page = await readFile(join(repositoryRoot, 'docs/python.md'), 'utf8');
      const blocks = (language: string) =>
        [...page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(
          ([, text = '']) => text,
        );
      const { base_url: baseUrl } = await stack.file();
      const line = blocks('sh')[0]?.match(/^openapi-python-client (.*)$/m)?.[1] ?? '';
      const args = line.replace('"$BASE_URL/openapi.json"', `${baseUrl}/openapi.json`).split(' ');
      await tool(join(folder, 'venv/bin/openapi-python-client'), args);
      await writeFile(join(folder, 'pinkas.py'), blocks('python').join('\n\n'));
      await writeFile(join(folder, 'use-page.py'), programs.pythonPage);
      const { key, business } = await stack.newIssuer();
      const test = await stack.newKey(business.id, { mode: 'test' });
      const printed = await tool(python(), ['use-page.py', baseUrl, key, test.key, ...blocks('py')]);
      expect(printed).toMatch(/done\n$/);
    }
  });

  it('the client of openapi-generator in Python imports and calls every operation', async () => {
    if (await canMake('Python (openapi-generator)', ['java', 'mvn', 'python3'], ['jar', 'pypi'])) {
      const client = await generate('python');
      await writeFile(join(client, 'call.py'), programs.python);
      await expectCalls(python(), ['call.py'], client);
    }
  });

  it('the types of openapi-typescript compile in strict mode, and call every operation', async () => {
    if (await canMake('TypeScript (openapi-typescript)', ['npm'], ['npm'])) {
      const npm = join(folder, 'npm');
      await tool('npx', ['openapi-typescript', specification, '-o', 'schema.d.ts'], npm);
      await writeFile(join(npm, 'call.ts'), programs.typeScript);
      await compileTypeScript(npm, 'call.ts');
      await expectCalls(process.execPath, ['dist/call.js'], npm);
    }
  });

  it('the client of openapi-generator in TypeScript compiles in strict mode', async () => {
    if (await canMake('TypeScript (openapi-generator)', ['java', 'mvn'], ['jar'])) {
      await compileTypeScript(await generate('typescript-fetch'), 'index.ts');
    }
  });

  it('the client of openapi-generator in Java compiles and calls every operation', async () => {
    if (await canMake('Java', ['java', 'javac', 'mvn'], ['jar'])) {
      const client = await generate('java', [
        '--library',
        'native',
        '--additional-properties=containerDefaultToNull=true',
      ]);
      await writeFile(join(client, 'src/main/java/org/openapitools/client/CallEach.java'), programs.java);
      await tool(
        'mvn',
        ['-q', '-B', 'compile', 'dependency:copy-dependencies', '-DincludeScope=runtime'],
        client,
      );
      await expectCalls(
        'java',
        ['-cp', 'target/classes:target/dependency/*', 'org.openapitools.client.CallEach'],
        client,
      );
    }
  });

  it('the client of openapi-generator in PHP has no error of syntax and calls every operation', async () => {
    if (await canMake('PHP', ['java', 'mvn', 'php'], ['jar', 'guzzle'])) {
      const client = await generate('php');
      for (const file of await filesOf(join(client, 'lib'))) {
        await tool('php', ['-l', file]);
      }
      await writeFile(join(client, 'call.php'), programs.php);
      await expectCalls('php', ['call.php'], client);
    }
  });

  it('Postman imports the OpenAPI document, and its request issues the example once', async () => {
    if (await canMake('Postman', ['npm'], ['postman'])) {
      const cwd = join(folder, 'postman');
      const options = ['-O', 'parametersResolution=Example'];
      await tool('npx', ['openapi2postmanv2', '-s', specification, '-o', 'imported.json', ...options], cwd);
      const request = ['run', 'imported.json', '--folder', 'Issue a document'];
      await expectIssuedOnce((key) =>
        tool('npx', ['newman', ...request, '--env-var', `bearerToken=${key}`], cwd),
      );
    }
  });

  it('Bruno imports the OpenAPI document, and its request issues the example once', async () => {
    if (await canMake('Bruno', ['npm'], ['bruno'])) {
      const cwd = join(folder, 'bruno');
      const bru = join(cwd, 'node_modules/.bin/bru');
      const options = ['--output', '.', '--collection-name', 'Pinkas'];
      const source = `${(await stack.file()).base_url}/openapi.json`;
      await tool(bru, ['import', 'openapi', '--source', source, ...options], cwd);
      const request = ['run', 'Documents/Issue a document.yml', '--env', 'Environment 1'];
      await expectIssuedOnce((key) =>
        tool(bru, [...request, '--env-var', `token=${key}`], join(cwd, 'Pinkas')),
      );
    }
  });

  it('the client of oapi-codegen in Go compiles and calls every operation', async () => {
    if (await canMake('Go', ['go'], ['go'])) {
      const client = join(folder, 'oapi-codegen');
      await mkdir(client);
      const options = ['-generate', 'types,client', '-package', 'main'];
      const made = await tool('go', ['run', oapiCodegen, ...options, specification]);
      await writeFile(join(client, 'client.go'), made);
      await writeFile(join(client, 'main.go'), programs.go);
      await tool('go', ['mod', 'init', 'generated'], client);
      await tool('go', ['mod', 'tidy'], client);
      await tool('go', ['vet', '.'], client);
      await expectCalls('go', ['run', '.'], client);
    }
  });
});

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function isInstalled(command: string): boolean {
  try {
    execFileSync('which', [command], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
