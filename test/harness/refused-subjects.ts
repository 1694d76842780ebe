import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The log lines of subjects that NATS denied to a service: a permission is missing. */
export async function refusedSubjects(logs: string): Promise<string[]> {
  const files = await readdir(logs);
  const texts = await Promise.all(files.map((file) => readFile(join(logs, file), 'utf8')));
  return texts.flatMap((text) => text.split('\n')).filter((line) => line.includes('nats subject denied'));
}
