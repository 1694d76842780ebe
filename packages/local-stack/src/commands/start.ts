import { readConfig } from '../config.js';
import { curlLine, type IssuedDocument, issueFirstDocument } from '../demo.js';
import { openHome, readJson } from '../home.js';
import { HomeInUseError, supervisorOf } from '../run-state.js';
import { onNpmGone, onStopSignals } from '../signals.js';
import { type Stack, startStack } from '../stack.js';
import type { StackFile } from '../stack-file.js';
import { showStart, stepErrorOf } from '../start-progress.js';
import { StepError, type Steps } from '../steps.js';
import { PartFailedError } from '../supervisor.js';

const shekels = (amount: number) =>
  amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

function describeAllocation({ status, number, reason }: IssuedDocument['allocation']): string {
  return number ?? (reason === null ? status : `${status} (${reason})`);
}

/** The text that follows a successful start. */
function welcome(stack: StackFile, document: IssuedDocument, apiKey: string): string {
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
    ['API', stack.base_url],
    ['API key', apiKey],
  ];
  return [
    '',
    '  Pinkas runs, and has issued its first document:',
    '',
    ...rows.map(([name, value]) => `    ${name.padEnd(12)}${value}`),
    '',
    '  Issue one yourself:',
    '',
    curlLine(stack.base_url, apiKey),
    '',
    '',
  ].join('\n');
}

async function introduce(steps: Steps, stackFile: string): Promise<void> {
  const stack = readJson<StackFile>(stackFile);
  const demo = stack?.demo;
  if (!stack || !demo) {
    throw new StepError(`${stackFile} has no demo business`);
  }
  const document = await steps.run('first document', () => issueFirstDocument(stack.base_url, demo.api_key));
  process.stdout.write(welcome(stack, document, demo.api_key));
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
export async function start(steps: Steps): Promise<number> {
  const config = readConfig();
  const home = openHome(config.home);
  if (supervisorOf(home) !== null) {
    steps.note(`Pinkas already runs in ${home.path}; npm run down stops it.`);
    await introduce(steps, home.stackFile);
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
    const started = showOwnStart(steps, stack).then(() => introduce(steps, home.stackFile));
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
