import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createDocumentExamples, eventExample } from '@pinkas/contracts/openapi';
import { reservePort } from '@pinkas/local-stack/servers';
import { eventually } from '@pinkas/testkit';
import { Webhook } from 'standardwebhooks';
import type { RunningStack } from '../harness/running-stack.js';
import { repositoryRoot } from '../harness/sources.js';
import { phpOptions } from './php/php-driver.js';

type Need = 'receivers' | 'guzzle' | 'django' | 'jar' | 'pypi' | 'typescript';

/** What builds and runs programs of other languages. */
export interface Toolbox {
  /** A folder; the packages of `receivers` are in its folder of this name. */
  readonly folder: () => string;
  readonly canMake: (
    name: string,
    commands: readonly string[],
    packages: readonly Need[],
  ) => Promise<boolean>;
  readonly tool: (command: string, args: readonly string[], cwd: string) => Promise<string>;
  readonly python: () => string;
}

/** A receiver of the page in a folder of its own. */
interface Receiver {
  /** Its heading on the page. */
  readonly name: string;
  readonly command: string;
  readonly needs: readonly Need[];
  /** Where the blocks of the page are below its folder. */
  readonly blocks?: string;
  /** Builds it. @returns what starts it. */
  readonly build: (folder: string, port: number) => Promise<readonly [command: string, ...args: string[]]>;
}

/** What a project of Django has next to the page's part of its settings. */
const djangoSettings = `from shop.settings import *
SECRET_KEY = "of-a-test"
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "shop.urls"
INSTALLED_APPS = ["shop"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "events.sqlite3"}}
`;

const receiversBy = ({ tool, python }: Toolbox): readonly Receiver[] => [
  {
    name: 'Express',
    command: 'npm',
    needs: ['receivers'],
    build: async () => [process.execPath, 'receiver.mjs'],
  },
  {
    name: 'Nest',
    command: 'npm',
    needs: ['receivers'],
    build: async (folder) => {
      const compilerOptions = {
        target: 'es2023',
        module: 'nodenext',
        strict: true,
        skipLibCheck: true,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
        types: ['node'],
        typeRoots: [join(repositoryRoot, 'node_modules/@types')],
      };
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }));
      await tool(join(repositoryRoot, 'node_modules/.bin/tsc'), ['-p', '.'], folder);
      return [process.execPath, 'main.js'];
    },
  },
  {
    name: 'PHP',
    command: 'php',
    needs: ['guzzle'],
    build: async (folder, port) => [
      'php',
      ...(await phpOptions(folder)),
      ...['-S', `127.0.0.1:${port}`, 'receiver.php'],
    ],
  },
  {
    name: 'Django',
    command: 'python3',
    needs: ['django'],
    blocks: 'shop',
    build: async (folder, port) => {
      await writeFile(join(folder, 'settings.py'), djangoSettings);
      const django = [python(), '-m', 'django'] as const;
      const settings = ['--settings', 'settings'];
      const migrate = ['migrate', '--run-syncdb', ...settings];
      await tool('env', ['PINKAS_WEBHOOK_SECRET=of-a-test', ...django, ...migrate], folder);
      return [...django, 'runserver', '--noreload', ...settings, `127.0.0.1:${port}`];
    },
  },
  {
    name: 'Go',
    command: 'go',
    needs: [],
    build: async (folder) => {
      await tool('go', ['mod', 'init', 'receiver'], folder);
      await tool('go', ['vet', '.'], folder);
      await tool('go', ['build', '-o', 'receiver', '.'], folder);
      return ['./receiver'];
    },
  },
];

/** The blocks below a heading of the page, each in the file that its first line names. */
async function writeBlocks(heading: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const page = await readFile(join(repositoryRoot, 'docs/receivers.md'), 'utf8');
  const part = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const blocks = [...part.matchAll(/^```\w+\n((?:<\?php )?(?:#|\/\/) (\S+)\n[\s\S]*?)^```/gm)];
  expect(blocks.length).toBeGreaterThan(0);
  for (const [, text = '', file = ''] of blocks) {
    await writeFile(join(folder, file), text);
  }
}

const event = eventExample('document.cancelled');
const body = JSON.stringify(event);

function headersOf(secret: string, { id = event.id, offsetSeconds = 0 } = {}): Record<string, string> {
  const at = new Date(Date.now() + offsetSeconds * 1_000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}

const otherSecret = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;

/** Webhooks that are not genuine: their headers, and the body where it is another. */
function forgeries(secret: string): Readonly<Record<string, readonly [Record<string, string>, string?]>> {
  const genuine = headersOf(secret);
  const { 'webhook-signature': _, ...unsigned } = genuine;
  return {
    'another secret': [headersOf(otherSecret)],
    'another body': [genuine, body.replace('{', '{ ')],
    'another id': [{ ...genuine, 'webhook-id': 'evt_1' }],
    'no signature': [unsigned],
    'no header': [{}],
    'six minutes old': [headersOf(secret, { offsetSeconds: -360 })],
    'six minutes early': [headersOf(secret, { offsetSeconds: 360 })],
    'a time that is none': [{ ...genuine, 'webhook-timestamp': 'NaN' }],
  };
}

/** The receivers of `docs/receivers.md` get webhooks of a running system, and some that no one has sent. */
export function receivers(system: () => RunningStack, toolbox: Toolbox): void {
  describe('the receivers of docs/receivers.md', () => {
    const ends: (() => unknown)[] = [];
    afterEach(async () => {
      await Promise.all(ends.splice(0).map((end) => end()));
    });

    /** Starts a receiver. @returns its address, and the lines in which it states that it has handled an event. */
    async function start(
      { name, blocks = '.', build }: Receiver,
      createEndpoint: (url: string) => Promise<string>,
    ) {
      const folder = join(toolbox.folder(), 'receivers', name);
      await writeBlocks(name, join(folder, blocks));
      const { port, release } = await reservePort();
      const url = `http://127.0.0.1:${port}/webhooks`;
      const [command, ...args] = await build(folder, port);
      const { PATH, HOME } = process.env;
      const env = {
        ...{ PATH, HOME, PORT: String(port), WEBHOOKS_FOLDER: folder },
        PINKAS_WEBHOOK_SECRET: await createEndpoint(url),
      };
      await release();
      const child: ChildProcess = spawn(command, args, { cwd: folder, env });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream?.on('data', (chunk: Buffer) => {
          output += chunk;
        });
      }
      const exit = once(child, 'exit');
      ends.push(() => child.kill('SIGKILL') && exit);
      await eventually(`the receiver in ${name} listens`, () =>
        fetch(url).then(
          () => true,
          () => {
            throw new Error(`the receiver in ${name} does not listen: ${output}`);
          },
        ),
      );
      const handled = () => output.match(/[a-z]+\.[a-z]+ \d+ evt_\w+/g) ?? [];
      const awaitHandled = (count: number) =>
        eventually(`the receiver in ${name} has handled ${count} events`, () => {
          if (handled().length < count) {
            throw new Error(`the receiver in ${name} has handled ${handled().length} of ${count}: ${output}`);
          }
          return true;
        });
      return { url, secret: env.PINKAS_WEBHOOK_SECRET, handled, awaitHandled };
    }

    it.each(receiversBy(toolbox))(
      'the receiver in $name handles each genuine webhook once, and answers 401 to what is forged, changed or old',
      async (receiver) => {
        if (
          !(await toolbox.canMake(`the receiver in ${receiver.name}`, [receiver.command], receiver.needs))
        ) {
          return;
        }
        const stack = system();
        const { key, business } = await stack.newIssuer();
        let endpointId = '';
        const { url, secret, handled, awaitHandled } = await start(receiver, async (address) => {
          const options = ['--business', business.id, '--types', 'document.issued'];
          const made = await stack.pinkas<{ secret: string; endpoint: { id: string } }>(
            ...['webhook', 'create', address, ...options],
          );
          endpointId = made.endpoint.id;
          return made.secret;
        });
        await stack.issue(key, createDocumentExamples.quote);
        await awaitHandled(1);
        // It goes on with the secret of before.
        await stack.pinkas('webhook', 'rotate', endpointId);
        await stack.issue(key, createDocumentExamples.quote);
        await awaitHandled(2);

        const post = async (headers: Record<string, string>, text = body) => {
          const options = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
          return (await fetch(url, { ...options, body: text, signal: AbortSignal.timeout(60_000) })).status;
        };
        for (const [what, webhook] of Object.entries(forgeries(secret))) {
          expect([what, await post(...webhook)]).toEqual([what, 401]);
        }
        const genuine = headersOf(secret);
        const signature = `${headersOf(otherSecret)['webhook-signature']} ${genuine['webhook-signature']}`;
        const statuses = [await post({ ...genuine, 'webhook-signature': signature }), await post(genuine)];
        expect(statuses).toEqual([204, 204]);
        await awaitHandled(3);
        expect(handled().map((line) => line.split(' evt_')[0])).toEqual([
          'document.issued 1',
          'document.issued 2',
          `document.cancelled ${event.data.document?.number}`,
        ]);
      },
    );
  });
}
