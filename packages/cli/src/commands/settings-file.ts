import { readFile } from 'node:fs/promises';
import { RefusalError } from '../builder/usage-error.js';

const inputTimeoutMs = 30_000;
const bytesMax = 256 * 1024;

/**
 * The JSON object of a file, or of standard input where the name is `-`.
 * @throws RefusalError when it cannot be read, or is not a JSON object.
 */
export async function readSettings(name: string): Promise<object> {
  const text = name === '-' ? await readInput() : await readNamed(name);
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new RefusalError(`${shown(name)} is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RefusalError(`${shown(name)} must contain one JSON object, such as {"name": "…"}`);
  }
  return value;
}

const shown = (name: string): string => (name === '-' ? 'Standard input' : name);

async function readNamed(name: string): Promise<string> {
  try {
    return await readFile(name, 'utf8');
  } catch (error) {
    throw new RefusalError(`${name} cannot be read: ${(error as Error).message}`);
  }
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => {
    process.stdin.destroy(
      new RefusalError(`Standard input did not end within ${inputTimeoutMs / 1000} seconds`),
    );
  }, inputTimeoutMs);
  try {
    for await (const chunk of process.stdin) {
      size += (chunk as Buffer).length;
      if (size > bytesMax) {
        throw new RefusalError('Standard input is too large: settings have at most 256 KB');
      }
      chunks.push(chunk as Buffer);
    }
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
