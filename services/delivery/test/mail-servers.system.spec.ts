import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { reservePort } from '@pinkas/local-stack/servers';
import { eventually } from '@pinkas/testkit';
import type { DeliveryConfig } from '../src/config.js';
import { Mailer } from '../src/mail/mailer.js';
import { serverAnswers } from '../src/mail/server-answers.vectors.js';
import type { SendOutcome } from '../src/message/send-policy.js';

const installMs = 240_000;
const execute = promisify(execFile);
const script = fileURLToPath(new URL('mail-servers/start.sh', import.meta.url));

type Name = 'postfix' | 'opensmtpd' | 'exim' | 'haraka';
interface Program {
  install(folder: string): Promise<void>;
  command(folder: string, name: string, port: number, situation: string): string[];
}

const debian = (...names: string[]): Program => ({
  /** Downloads and extracts: nothing is installed on the machine, and nothing of a package is run. */
  async install(folder: string) {
    await Promise.all(['packages', 'run'].map((name) => mkdir(join(folder, name), { recursive: true })));
    await execute('apt-get', ['download', ...names], { cwd: folder, timeout: installMs });
    await execute('sh', ['-c', 'for file in *.deb; do dpkg -x "$file" packages; done'], { cwd: folder });
    await execute('unshare', ['-m', 'true']);
  },
  command: (folder: string, name: string, port: number, situation: string) => [
    'unshare',
    ...['-m', '--pid', '--fork', '--propagation', 'private'],
    ...['sh', script, folder, name, String(port), situation],
  ],
});
const haraka = {
  async install(folder: string) {
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder];
    await execute('npm', ['install', ...options, 'Haraka@3.3.4'], { timeout: installMs });
    const config = join(folder, 'config');
    await cp(join(folder, 'node_modules/Haraka/config'), config, { recursive: true });
    await writeFile(join(config, 'plugins'), 'rcpt_to.in_host_list\nqueue/test\n');
    await writeFile(join(config, 'host_list'), 'example.com\n');
    await writeFile(join(config, 'me'), 'relay.example.com\n');
  },
  async configure(folder: string, port: number) {
    await writeFile(join(folder, 'config/smtp.ini'), `listen=127.0.0.1:${port}\nnodes=0\n`);
  },
  command: (folder: string) => [
    process.execPath,
    join(folder, 'node_modules/Haraka/bin/haraka'),
    '-c',
    folder,
  ],
};
const programs: Readonly<Record<Name, Program>> = {
  postfix: debian('postfix'),
  opensmtpd: debian('opensmtpd'),
  exim: debian('exim4-daemon-light', 'exim4-base', 'libidn12'),
  haraka,
};

/** What each answers to a mailbox that it has, to one that it lacks, and to one that is elsewhere; null: it takes it. */
const situations: readonly (readonly [Name, string, string | null, string | null, string | null])[] = [
  ['postfix', '', null, '5.1.1', '5.7.1'],
  ['postfix', 'sender', '5.1.0', '5.1.0', '5.1.0'],
  ['opensmtpd', '', null, '524 5.2.4', '550 Invalid recipient'],
  ['exim', '', null, 'Unrouteable address', 'relay not permitted'],
  ['exim', 'sender', 'Sender verify failed', 'Sender verify failed', 'Sender verify failed'],
  ['haraka', '', null, null, 'I cannot deliver mail for'],
];

/** Without the addresses, which are those of the test. */
const plain = (answer: string) => answer.replaceAll(/<[^>]*>/g, '<>').replaceAll(/\s+/g, ' ');

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const event = await Promise.race([
    once(socket, 'data').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return event;
}

/** Ends a program, and what it has started in a process namespace: its first process ends them all. */
async function end(child: ChildProcess): Promise<void> {
  const { pid } = child;
  const inside = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  for (const id of inside.trim().split(' ').filter(Boolean)) {
    process.kill(Number(id), 'SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) {
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  }
}

describe('what mail servers answer', () => {
  let folder: string;
  const installed = new Set<Name>();
  let running: ChildProcess | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinkas-mail-servers-'));
    const absent: string[] = [];
    for (const [name, { install }] of Object.entries(programs)) {
      const own = join(folder, name);
      await mkdir(own);
      await install(own).then(
        () => installed.add(name as Name),
        () => absent.push(name),
      );
    }
    if (absent.length > 0) {
      process.stderr.write(`answers of mail servers are not tried with ${absent.join(', ')}: not there\n`);
    }
  }, 4 * installMs);
  afterEach(async () => {
    await (running && end(running));
    running = undefined;
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function start(name: Name, situation: string): Promise<number> {
    const reserved = await reservePort();
    await reserved.release();
    const { port } = reserved;
    const own = join(folder, name);
    if (name === 'haraka') {
      await haraka.configure(own, port);
    }
    const [file = '', ...args] = programs[name].command(own, name, port, situation);
    running = spawn(file, args, { stdio: 'ignore' });
    await eventually(`${name} answers`, () => isListening(port), 60_000);
    return port;
  }

  async function sendTo(port: number, recipient: string): Promise<SendOutcome> {
    const mailer = new Mailer({
      smtpUrl: `smtp://127.0.0.1:${port}`,
      smtpTimeoutMs: 20_000,
      smtpTls: 'off',
      smtpCaFile: null,
      mailFrom: 'documents@example.com',
      dkimKeys: new Map(),
    } as unknown as DeliveryConfig);
    try {
      return await mailer.send({
        email: { subject: 'x', text: 'x', html: 'x', fileName: 'x.pdf', language: 'en' },
        pdf: Buffer.from('x'),
        logo: null,
        messageId: '<x@example.com>',
        fromName: 'Example',
        fromAddress: null,
        replyTo: null,
        inReplyTo: null,
        recipient,
      });
    } finally {
      mailer.close();
    }
  }

  it.each(situations)(
    'the recorded answers of %s (%s) are those that it gives, and each has its verdict',
    async (name, situation, known, unknown, elsewhere) => {
      if (!installed.has(name)) {
        return;
      }
      const port = await start(name, situation);
      const recipients = ['known@example.com', 'unknown@example.com', 'buyer@elsewhere.example'] as const;
      for (const [index, expected] of [known, unknown, elsewhere].entries()) {
        const outcome = await sendTo(port, recipients[index] ?? '');
        if (expected === null) {
          expect(outcome.kind === 'accepted' ? '' : outcome.reason).not.toMatch(/^55/);
          continue;
        }
        const reason = outcome.kind === 'accepted' ? '' : outcome.reason;
        expect(reason).toContain(expected);
        const vector = serverAnswers.find(({ answer }) => plain(answer) === plain(reason));
        expect({ reason, verdict: vector?.verdict }).toEqual({
          reason,
          verdict: (outcome.kind !== 'accepted' && outcome.failure) || 'neither',
        });
      }
    },
    120_000,
  );
});
