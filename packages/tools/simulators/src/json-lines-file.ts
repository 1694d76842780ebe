import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A file of JSON lines that is only ever appended to, so that what was promised before a crash is still known after it.
 * Without a folder nothing is kept.
 */
export class JsonLinesFile<Entry> {
  readonly #file: string | undefined;
  /** What earlier runs wrote, oldest first. */
  readonly earlier: readonly Entry[];

  constructor(folder: string | undefined, name: string) {
    this.#file = folder === undefined ? undefined : join(folder, name);
    if (folder !== undefined) {
      mkdirSync(folder, { recursive: true });
    }
    this.earlier = this.#file !== undefined && existsSync(this.#file) ? this.#read(this.#file) : [];
  }

  /** Writes the entry before it returns: an answer that goes out afterwards is never forgotten. */
  append(entry: Entry): void {
    if (this.#file !== undefined) {
      appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
    }
  }

  #read(file: string): Entry[] {
    const text = readFileSync(file, 'utf8');
    const entries: Entry[] = [];
    for (const line of text.split('\n')) {
      try {
        if (line !== '') {
          entries.push(JSON.parse(line) as Entry);
        }
      } catch {
        // A crash in the middle of a write left half a line, whose answer never went out.
      }
    }
    // Whatever is appended next must not continue that half line.
    if (text !== '' && !text.endsWith('\n')) {
      appendFileSync(file, '\n');
    }
    return entries;
  }
}
