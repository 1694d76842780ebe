import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { personalDetails } from '@pinkas/contracts';

/** A shorter run of digits also is in ports, process ids and times by chance. */
const digitsMin = 8;

/** The members of requests and settings whose values must never reach a log. */
const personalMembers = new Set<string>([...personalDetails, 'key']);

/** Every e-mail address, telephone number, tax id and API key in a value, however deep. */
export function personalDataOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([member, inner]) =>
    typeof inner === 'string' && personalMembers.has(member) ? [inner] : personalDataOf(inner),
  );
}

/** A line of a log that says what it must not say. */
export interface Leak {
  file: string;
  line: string;
}

/** What may be an address, a number of a person, or a key, wherever it is in a text. */
const candidates = [
  /[^\s"'<>\\,;:=()]+@[^\s"'<>\\,;()]+/g,
  /(?<![\w-])\+?\d[\d\s-]{5,}\d(?![\w-])/g,
  /(?<![\w-])\d+(?![\w-])/g,
  /pk_(?:live|test)_\w+/g,
];

/** Two ways to write one number are one number. */
const plain = (value: string): string =>
  /^[+\d\s-]+$/.test(value) ? value.replaceAll(/[\s-]/g, '') : value.trim().toLowerCase();

/** Those of the lines that hold one of the values. */
export function leakingLines(lines: readonly string[], values: Iterable<string>): string[] {
  const wanted = new Set(
    [...values].map(plain).filter((value) => /\D{2}/.test(value) || value.length >= digitsMin),
  );
  return lines.filter((line) => {
    const found = candidates.flatMap((candidate) => line.match(candidate) ?? []);
    return found.some((text) => wanted.has(plain(text)));
  });
}

/** Looks for values in every line of every log in a folder. */
export async function leaksIn(folder: string, values: Iterable<string>): Promise<Leak[]> {
  const searched = [...values];
  const leaks: Leak[] = [];
  for (const file of await readdir(folder)) {
    const lines = (await readFile(join(folder, file), 'utf8')).split('\n');
    leaks.push(...leakingLines(lines, searched).map((line) => ({ file, line })));
  }
  return leaks;
}
