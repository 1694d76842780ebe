import { softwareVersion } from '@pinkas/domain';
import { auditCommands } from './audit/audit-commands.js';
import type { Call, CallEach, Command, Output } from './builder/command.js';
import { parseCommandLine } from './builder/command-line.js';
import { helpText } from './builder/help.js';
import { printable } from './builder/printable.js';
import { terminalProgress } from './builder/progress.js';
import { errorText, RefusalError } from './builder/usage-error.js';
import { allocationCommands } from './commands/allocation-commands.js';
import { apiCommands } from './commands/api-commands.js';
import { artifactCommands } from './commands/artifact-commands.js';
import { authorityCommands } from './commands/authority-commands.js';
import { businessCommands } from './commands/business-commands.js';
import { deliveryCommands } from './commands/delivery-commands.js';
import { donationCommands } from './commands/donation-commands.js';
import { keyCommands } from './commands/key-commands.js';
import { personCommands } from './commands/person-commands.js';
import { queueCommands } from './commands/queue-commands.js';
import { requestCommands } from './commands/request-commands.js';
import { testCommands } from './commands/test-commands.js';
import { webhookCommands } from './commands/webhook-commands.js';
import { withholdingCommands } from './commands/withholding-commands.js';
import type { NatsUrl } from './config.js';
import { type Connection, openConnection } from './connection.js';
import { doctorCommands } from './doctor/doctor-command.js';
import { exportCommands } from './export/export-commands.js';
import { verifyCommands } from './verify/verify-command.js';

export type { Call } from './builder/command.js';

/** Every command. */
export const commands: readonly Command[] = [
  ...businessCommands,
  ...keyCommands,
  ...requestCommands,
  ...personCommands,
  ...apiCommands,
  ...allocationCommands,
  ...authorityCommands,
  ...donationCommands,
  ...withholdingCommands,
  ...deliveryCommands,
  ...webhookCommands,
  ...queueCommands,
  ...verifyCommands,
  ...doctorCommands,
  ...auditCommands,
  ...exportCommands,
  ...artifactCommands,
  ...testCommands,
];

/**
 * Runs a command line.
 * @param args what follows `pinkas`.
 * @param findNatsUrl called before the first call to a service, so that usage errors need no running system.
 * @returns the text for standard output, and the failure of the command.
 * @throws UsageError, RefusalError, or the ApiError of a service.
 */
export async function runCommand(
  args: readonly string[],
  findNatsUrl: () => Promise<NatsUrl>,
): Promise<{ text: string; failure?: string | undefined }> {
  const parsed = parseCommandLine(args, commands);
  if (parsed.kind === 'version') {
    return { text: parsed.json ? JSON.stringify(softwareVersion) : softwareVersion };
  }
  if (parsed.kind === 'help') {
    return { text: helpText(commands, parsed.noun, parsed.verb) };
  }
  const progress = terminalProgress(process.stderr, !parsed.json);
  let connection: Promise<Connection> | undefined;
  const connected = (): Promise<Connection> => {
    connection ??= findNatsUrl().then((url) => openConnection(url, progress));
    return connection;
  };
  const call: Call = async (contract, request) => (await connected()).call(contract, request);
  const callEach: CallEach = async (contract, request) => (await connected()).callEach(contract, request);
  try {
    return written(await parsed.command.run(parsed.input, call, progress, callEach), parsed.json);
  } finally {
    progress.end();
    // A failure to open it was thrown by the command already.
    await connection?.then((opened) => opened.close()).catch(() => {});
  }
}

/** What a command prints. @param asJson whether a program reads it: standard output is as it is stored, escaped by JSON. */
export function written({ json, text, failure }: Output, asJson: boolean) {
  return {
    text: asJson ? JSON.stringify(json, null, 2) : printable(text),
    failure: failure === undefined ? undefined : errorText(new RefusalError(failure), asJson),
  };
}
