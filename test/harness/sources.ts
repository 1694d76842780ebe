import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url));

/** One source file: its path from the root with forward slashes, and its text. */
export interface Source {
  path: string;
  text: string;
}

/** The TypeScript files below a folder of the repository, without what was built or installed. */
export async function sourcesBelow(folder: string): Promise<Source[]> {
  const entries = await readdir(join(repositoryRoot, folder), { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes(`${sep}node_modules${sep}`) && !file.includes(`${sep}dist${sep}`));
  return Promise.all(
    files.map(async (file) => ({
      path: relative(repositoryRoot, file).split(sep).join('/'),
      text: await readFile(file, 'utf8'),
    })),
  );
}

/** What a file imports: the module names of its import and export statements and of its dynamic imports. */
export function importsOf(source: Source): string[] {
  const statements = source.text.matchAll(/(?:^|\n)\s*(?:import|export)\s[^;'"]*?from\s*['"]([^'"]+)['"]/g);
  const bare = source.text.matchAll(/(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g);
  const dynamic = source.text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g);
  return [...statements, ...bare, ...dynamic].map((match) => match[1] ?? '');
}
