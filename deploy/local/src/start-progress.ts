import { waitUntil } from '@pinkas/local-servers';
import type { Layer } from './part.js';
import { StepError, type Steps } from './steps.js';
import type { Failure, PartState } from './supervisor.js';

/** What a person sees of the start, one line each. */
const stages: readonly { name: string; layers: readonly Layer[] }[] = [
  { name: 'servers', layers: ['server'] },
  { name: 'stand-ins', layers: ['stand-in'] },
  { name: 'databases', layers: ['database'] },
  { name: 'services', layers: ['service', 'edge'] },
  { name: 'demo business', layers: ['demo'] },
];

/** Longer than any part may take by itself. */
const startTimeoutMs = 300_000;

/** The log line that says why: the last one of level error or worse, else simply the last. */
export function tellingLine(lines: readonly string[]): string | null {
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

/** Turns what the supervisor recorded into an error that a person can act on. */
export function stepErrorOf({ part, reason, logFile, lines }: Failure): StepError {
  const telling = tellingLine(lines);
  return new StepError(`${part} ${reason}${telling === null ? '' : `: ${telling}`}`, logFile, lines);
}

/**
 * Shows the stages of a start until everything is ready.
 *
 * @param read - the parts as they stand; throws a StepError when the start has failed.
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
          .map(({ name }) => name)
          .filter((name) => !name.startsWith('migrate-'))
          .join(' · '),
      );
    });
  }
}
