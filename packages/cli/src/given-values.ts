import { isUuid } from '@pinkas/contracts';
import { Problem } from '@pinkas/service-kit/asking';
import { Refusal } from './refusal.js';

/**
 * An id that the operator typed.
 * @param where the command that shows the right ones.
 */
export function readId(text: string | undefined, where: string): string {
  if (text === undefined || !isUuid(text)) {
    throw new Refusal(`"${text ?? ''}" is no id: pinkas ${where} shows them`);
  }
  return text;
}

/** A whole number that the operator typed, if they did. */
export function readCount(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new Refusal(`--${option} takes a whole number, not "${text}"`);
  return Number(text);
}

/** Says in the operator's words what it is that does not exist. */
export async function orMissing<T>(asked: Promise<T>, missing: string): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') throw new Refusal(missing);
    throw error;
  }
}
