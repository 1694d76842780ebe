import { isUuid } from '@pinkas/contracts';
import { type Mode, modes } from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit/client';
import { RefusalError, UsageError } from './usage-error.js';

/**
 * Parses an id.
 * @param where the command that lists the ids.
 * @throws UsageError for anything but a UUID.
 */
export function readId(text: string | undefined, where: string): string {
  if (text === undefined || !isUuid(text)) {
    throw new UsageError(`"${text ?? ''}" is not an id: pinkas ${where} shows them`);
  }
  return text;
}

/** Parses a whole number; undefined where the option is absent. */
export function readCount(text: string | undefined, option: string): number | undefined {
  if (text === undefined) {
    return undefined;
  }
  if (!/^\d{1,9}$/.test(text)) {
    throw new UsageError(`--${option} takes a whole number, not "${text}"`);
  }
  return Number(text);
}

/** The option that names one of the two books of a business. */
export const modeOption = {
  value: modes.join('|'),
  meaning: 'the live book (default) or the test book',
} as const;

/** Parses the option `--mode`; undefined where it is absent. */
export function readMode(text: string | undefined): Mode | undefined {
  const mode = modes.find((known) => known === text);
  if (text !== undefined && mode === undefined) {
    throw new UsageError(`--mode takes ${modes.join(' or ')}, not "${text}"`);
  }
  return mode;
}

/** Awaits a reply, and throws a RefusalError with `message` where the problem is `not_found`. */
export async function notFoundAs<T>(reply: Promise<T>, message: string): Promise<T> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') {
      throw new RefusalError(message);
    }
    throw error;
  }
}
