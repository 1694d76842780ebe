import type { Layer } from './part.js';
import { waitUntil } from './servers/index.js';
import { StepError, type Steps } from './steps.js';
import type { Failure, PartState } from './supervisor.js';

/** The stages of a start, each shown as one line. */
const stages: readonly { name: string; layers: readonly Layer[] }[] = [
  { name: 'servers', layers: ['server'] },
  { name: 'simulators', layers: ['simulator'] },
  { name: 'databases', layers: ['database'] },
  { name: 'services', layers: ['service', 'edge'] },
  { name: 'demo business', layers: ['demo'] },
];

/** Longer than any single part may take. */
const startTimeoutMs = 300_000;

/** The log line that explains a failure: the last one of level error or fatal, otherwise the last one. */
export function errorLine(lines: readonly string[]): string | null {
  const errors = lines.filter((line) =>
    /"level":\s*(50|60|"error"|"fatal")|\b(ERROR|FATAL|PANIC|Error)\b/.test(line),
  );
  const line = errors.at(-1) ?? lines.at(-1) ?? null;
  if (line === null || !line.startsWith('{')) {
    return line;
  }
  try {
    const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } };
    return [msg, err?.message].filter((text) => text !== undefined).join(': ') || line;
  } catch {
    return line;
  }
}

/** The recorded failure as an error to show. */
export function stepErrorOf({ part, reason, logFile, lines }: Failure): StepError {
  const cause = errorLine(lines);
  return new StepError(`${part} ${reason}${cause === null ? '' : `: ${cause}`}`, logFile, lines);
}

/**
 * Shows the stages of a start until everything is ready.
 *
 * @param read - returns the current states of the parts; throws a StepError when the start has failed.
 */
export async function showStart(steps: Steps, read: () => PartState[]): Promise<void> {
  for (const stage of stages) {
    const members = () => read().filter(({ layer }) => stage.layers.includes(layer));
    if (members().length === 0) {
      continue;
    }
    await steps.run(stage.name, async (detail) => {
      let failure: unknown;
      await waitUntil(
        () => {
          try {
            const open = members().filter(({ status }) => status !== 'ready' && status !== 'done');
            detail(open.length === 0 ? '' : open.map(({ name }) => name).join(', '));
            return open.length === 0;
          } catch (error) {
            failure = error;
            return true;
          }
        },
        { what: `${stage.name} get ready`, timeoutMs: startTimeoutMs, everyMs: 50 },
      );
      if (failure !== undefined) {
        throw failure;
      }
      detail(
        members()
          .filter(({ name }) => name !== 'migrate')
          .map(({ name, members: inOne }) =>
            inOne.length === 0 ? name : `one process: ${inOne.map((member) => member.name).join(' · ')}`,
          )
          .join(' · '),
      );
    });
  }
}
