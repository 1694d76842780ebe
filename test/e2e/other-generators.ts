import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createDocumentExamples } from '@pinkas/contracts/openapi';
import fc from 'fast-check';
import type { RunningStack } from '../harness/running-stack.js';
import { repositoryRoot } from '../harness/sources.js';
import { seed } from '../properties/config.js';
import { issuingPrograms } from './issuing-client-programs.js';
import type { Toolbox } from './receivers.js';

const ogen = 'github.com/ogen-go/ogen/cmd/ogen@v1.25.0';
const amountsDrawn = 500;
/** A price that is no multiple of 0.01 as a binary fraction. */
const quote = {
  ...createDocumentExamples.quote,
  items: [{ description: 'Example', quantity: 1.0001, unit_price: 19.99 }],
  discount: undefined,
} as const;

export interface Generators extends Toolbox {
  readonly specification: () => string;
  /** Runs openapi-generator. Returns the folder of the client. */
  readonly generate: (generator: string) => Promise<string>;
  /** Compiles a file and what it imports by the compiler of the repository. */
  readonly compileTypeScript: (cwd: string, file: string) => Promise<void>;
}

/** Generators that issue, list and read an error, and what else of other people reads the document and the client. */
export function otherGenerators(
  system: () => RunningStack,
  { folder, canMake, tool, python, specification, generate, compileTypeScript }: Generators,
): void {
  describe('other generators and validators', () => {
    /** Runs a program that issues a document, lists it, and asks for one that does not exist. */
    async function expectIssues(command: string, args: readonly string[], cwd: string): Promise<void> {
      const { key } = await system().newIssuer();
      const { base_url: baseUrl } = await system().file();
      const printed = await tool(command, [...args, baseUrl, key, JSON.stringify(quote)], cwd);
      expect(JSON.parse(printed.trim().split('\n').at(-1) ?? '')).toEqual([1, 1, 'not_found']);
    }
    const made = async (name: string, files: Readonly<Record<string, string>>) => {
      const cwd = join(folder(), name);
      for (const [file, text] of Object.entries(files)) {
        await mkdir(join(cwd, file, '..'), { recursive: true });
        await writeFile(join(cwd, file), text);
      }
      return cwd;
    };

    it('the client of ogen in Go compiles, issues, lists and reads an error', async () => {
      if (await canMake('Go (ogen)', ['go'], [])) {
        const cwd = await made('ogen', { 'main.go': issuingPrograms.ogen });
        await tool('go', ['run', ogen, '--target', 'api', '--package', 'api', specification()], cwd);
        await tool('go', ['mod', 'init', 'generated'], cwd);
        await tool('go', ['mod', 'tidy'], cwd);
        await expectIssues('go', ['run', '.'], cwd);
      }
    });

    it('the client of openapi-generator in Go compiles, issues, lists and reads an error', async () => {
      if (await canMake('Go (openapi-generator)', ['java', 'mvn', 'go'], ['jar'])) {
        const client = await generate('go');
        await mkdir(join(client, 'cmd'));
        await writeFile(join(client, 'cmd/main.go'), issuingPrograms.openapiGeneratorGo);
        await tool('go', ['build', '.'], client);
        await expectIssues('go', ['run', './cmd'], client);
      }
    });

    it('the client of hey-api compiles in strict mode, issues, lists and reads an error', async () => {
      if (await canMake('TypeScript (hey-api)', ['npm'], ['typescript'])) {
        const cwd = join(folder(), 'typescript');
        await tool('npx', ['openapi-ts', '-i', specification(), '-o', 'hey'], cwd);
        await writeFile(join(cwd, 'hey-api.ts'), issuingPrograms.heyApi);
        await compileTypeScript(cwd, 'hey-api.ts');
        // Its imports have no ending: a bundler reads them.
        const bundled = ['--bundle', '--platform=node', '--format=esm', '--outfile=dist/hey-api.mjs'];
        await tool('npx', ['esbuild', 'hey-api.ts', ...bundled], cwd);
        await expectIssues(process.execPath, ['dist/hey-api.mjs'], cwd);
      }
    });

    it('the client of oazapfts compiles in strict mode, issues, lists and reads an error', async () => {
      if (await canMake('TypeScript (oazapfts)', ['npm'], ['typescript'])) {
        const cwd = join(folder(), 'typescript');
        await tool('npx', ['oazapfts', specification(), 'oazapfts.ts'], cwd);
        await writeFile(join(cwd, 'call-oazapfts.ts'), issuingPrograms.oazapfts);
        await compileTypeScript(cwd, 'call-oazapfts.ts');
        await expectIssues(process.execPath, ['dist/call-oazapfts.js'], cwd);
      }
    });

    it('the validator of Python takes any amount that the API takes, by the document that is served', async () => {
      if (await canMake('Python (jsonschema)', ['python3'], ['pypi'])) {
        const agorot = fc.oneof(
          fc.integer({ min: 1, max: 10_000 }),
          fc.integer({ min: 1, max: 10_000_000_000 }),
        );
        const bodies = fc.sample(agorot, { numRuns: amountsDrawn, seed }).map((drawn, index) => {
          const amount = Number((drawn / 100).toFixed(2));
          return {
            ...createDocumentExamples.tax_invoice_receipt,
            items: [{ description: 'Example', quantity: (index + 1) / 10_000, unit_price: amount }],
            payments: [{ method: 'cash', amount }],
            expected_total: amount,
          };
        });
        const cwd = await made('jsonschema', {
          'bodies.json': JSON.stringify(bodies),
          'validate.py': issuingPrograms.jsonschema,
        });
        const printed = await tool(python(), ['validate.py', specification(), 'bodies.json'], cwd);
        expect(JSON.parse(printed)).toEqual([amountsDrawn, []]);
      }
    });

    it('the client is found by each resolution of modules, and has no finding of arethetypeswrong and publint', async () => {
      if (await canMake('the client in TypeScript', ['npm'], ['typescript'])) {
        const cwd = join(folder(), 'typescript');
        const { origin } = new URL((await system().file()).base_url);
        const packed = Buffer.from(await (await fetch(`${origin}/client.tgz`)).arrayBuffer());
        await writeFile(join(cwd, 'client.tgz'), packed);
        // They exit with an error where they find anything.
        await tool('npx', ['attw', 'client.tgz'], cwd);
        await tool('npx', ['publint', '--strict', 'client.tgz'], cwd);
      }
    });

    it.each([
      ['commonjs', 'node10'],
      ['node16', 'node16'],
      ['nodenext', 'nodenext'],
    ])(
      'a program of CommonJS with the module %s compiles, issues, lists and reads an error',
      async (module, moduleResolution) => {
        if (await canMake('the client in CommonJS', ['npm'], ['receivers', 'typescript'])) {
          const compilerOptions = {
            target: 'es2023',
            lib: ['es2023', 'dom'],
            module,
            moduleResolution,
            strict: true,
          };
          const typeRoots = [join(repositoryRoot, 'node_modules/@types')];
          const cwd = await made(`module-${module}`, {
            'package.json': '{"private":true}',
            'main.ts': issuingPrograms.commonJs,
            'tsconfig.json': JSON.stringify({
              compilerOptions: { ...compilerOptions, skipLibCheck: false, types: ['node'], typeRoots },
              files: ['main.ts'],
            }),
          });
          await cp(join(folder(), 'receivers/node_modules'), join(cwd, 'node_modules'), { recursive: true });
          await tool(join(folder(), 'typescript/node_modules/.bin/tsc'), ['-p', '.'], cwd);
          expect(await readFile(join(cwd, 'main.js'), 'utf8')).toContain('require("@pinkas/client")');
          await expectIssues(process.execPath, ['main.js'], cwd);
        }
      },
    );
  });
}
