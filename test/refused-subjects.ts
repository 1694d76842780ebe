import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The log lines in which a service tells that NATS did not let it say or hear something: a permission is missing. */
export async function refusedSubjects(logs: string): Promise<string[]> {
  const files = await readdir(logs);
  const texts = await Promise.all(files.map((file) => readFile(join(logs, file), 'utf8')));
  return texts.flatMap((text) => text.split('\n')).filter((line) => line.includes('NATS refused a subject'));
}
