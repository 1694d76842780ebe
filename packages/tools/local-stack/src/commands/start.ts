import { readConfig, type StackConfig } from '../config.js';
import {
  curlLine,
  type IssuedDocument,
  issueFirstDocument,
  linkCommand,
  linkForOwner,
  type SignInLink,
} from '../demo.js';
import { openHome, readJson } from '../home.js';
import { checkVersion } from '../home-version.js';
import { HomeInUseError, supervisorOf } from '../run-state.js';
import { onNpmGone, onStopSignals } from '../signals.js';
import { type Stack, startStack } from '../stack.js';
import type { Demo, StackFile } from '../stack-file.js';
import { showStart, stepErrorOf } from '../start-progress.js';
import { StepError, type Steps } from '../steps.js';
import { PartFailedError } from '../supervisor.js';
import { noteLayout, readLayout } from './layout.js';
import { finishStart } from './up.js';

const shekels = (amount: number) =>
  amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

function describeAllocation({ status, number, reason }: IssuedDocument['allocation']): string {
  return number ?? (reason === null ? status : `${status} (${reason})`);
}

const timeOfDay = (instant: string) => new Date(instant).toTimeString().slice(0, 5);

interface Introduction {
  stack: StackFile;
  demo: Demo;
  document: IssuedDocument;
  link: SignInLink;
  /** Prints another link. */
  linkCommand: string;
}

/** The text that follows a successful start. */
function welcome({ stack, demo, document, link, linkCommand }: Introduction): string {
  const { totals } = document;
  const net = totals.subtotal - totals.discount;
  const rows: [string, string][] = [
    ['document', `${document.type} no. ${document.number}`],
    [
      'total',
      `${shekels(totals.total)} ILS (net ${shekels(net)}, VAT ${totals.vat_rate}% ${shekels(totals.vat)})`,
    ],
    ['allocation', describeAllocation(document.allocation)],
    ['page', document.view_url],
    ['PDF', document.pdf_url],
    ['mailbox', stack.mailbox_url ?? 'mail is sent to SMTP_URL'],
    ['console', stack.console_url],
    ['API', stack.base_url],
    ['reference', stack.docs_url],
    ['business', demo.business_id],
    ['API key', demo.api_key],
    ['test key', demo.test_api_key],
  ];
  return [
    '',
    '  Pinkas runs, and has issued its first document:',
    '',
    ...rows.map(([name, value]) => `    ${name.padEnd(12)}${value}`),
    '',
    '  Issue one yourself (another order has another key):',
    '',
    curlLine(stack.base_url, demo.api_key),
    '',
    `  Sign in to the console as ${demo.owner_email}, once, until ${timeOfDay(link.expires_at)}:`,
    '',
    link.url,
    '',
    `  Another link: ${linkCommand}`,
    '',
    '',
  ].join('\n');
}

async function introduce(steps: Steps, config: StackConfig, stackFile: string): Promise<void> {
  const stack = readJson<StackFile>(stackFile);
  const demo = stack?.demo;
  if (!stack || !demo) {
    throw new StepError(`${stackFile} has no demo business`);
  }
  const document = await steps.run('first document', () => issueFirstDocument(stack.base_url, demo.api_key));
  const link = await steps.run('sign-in link', () => linkForOwner(config, demo.owner_email));
  process.stdout.write(
    welcome({ stack, demo, document, link, linkCommand: linkCommand(config, demo.owner_email) }),
  );
}

/** Shows the progress of a stack that starts in this process. */
async function showOwnStart(steps: Steps, stack: Stack): Promise<void> {
  let failure: unknown;
  stack.ready.catch((error: unknown) => {
    failure = error instanceof PartFailedError ? stepErrorOf(error.failure) : error;
  });
  await showStart(steps, () => {
    if (failure !== undefined) {
      throw failure;
    }
    return stack.states();
  });
  await stack.ready;
}

/** Runs the system in the foreground until it receives a stop signal. */
export async function start(steps: Steps, args: readonly string[]): Promise<number> {
  readLayout(args);
  const config = readConfig();
  const home = openHome(config.home);
  checkVersion(home);
  const supervisor = supervisorOf(home);
  if (supervisor !== null) {
    steps.note(`Pinkas already runs in ${home.path}; npm run down stops it.`);
    await finishStart(steps, home, supervisor);
    noteLayout(steps, home, config.layout);
    await introduce(steps, config, home.stackFile);
    return 0;
  }

  let isUp = false;
  const stack = await startStack(config, (line) => {
    if (isUp) {
      steps.note(line);
    }
  }).catch((error: unknown) => {
    throw error instanceof HomeInUseError ? new StepError(error.message) : error;
  });

  const stopped = new Promise<'stopped'>((resolve) => {
    onStopSignals(
      () => resolve('stopped'),
      () => {
        stack.kill();
        process.exit(130);
      },
    );
    if (config.isRunByNpm) {
      onNpmGone(() => resolve('stopped'));
    }
  });

  try {
    const started = showOwnStart(steps, stack).then(() => introduce(steps, config, home.stackFile));
    // When the stop comes first, no code waits for the start.
    started.catch(() => undefined);
    const first = await Promise.race([started, stopped]);
    if (first !== 'stopped') {
      isUp = true;
      steps.note('Ctrl-C stops everything; the data stays.');
      await stopped;
      isUp = false;
    }
  } finally {
    await steps.run('stop', () => stack.stop());
  }
  return 0;
}
