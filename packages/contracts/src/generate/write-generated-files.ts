import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { generatedFiles, repositoryRoot, wirePath } from './generated-files.js';
import { breakingRecordChanges } from './wire-compatibility.js';
import { type WireRecord, wireRecord } from './wire-record.js';

/*
 * `npm run generate [-- SUBJECT …]` writes every generated file, unless the release before would not understand this one.
 * The subjects named may go: no release in use calls or consumes them.
 */
const read = (path: string) => readFile(new URL(path, repositoryRoot), 'utf8').catch(() => '');

const maySubjectGo = new Set(process.argv.slice(2));
const recorded = await read(wirePath);
const changes =
  recorded === '' ? [] : breakingRecordChanges(JSON.parse(recorded) as WireRecord, wireRecord());
const breaking = changes.filter((change) => !maySubjectGo.has(change.split(' ')[0] ?? ''));
if (breaking.length > 0) {
  process.stderr.write(
    `${breaking.join('\n')}\nGive the subject a new version (docs/adr/0018-rolling-releases.md).\n`,
  );
  process.exitCode = 1;
} else {
  for (const { path, text } of generatedFiles) {
    const current = await read(path);
    const wanted = text(current);
    if (wanted === current) {
      continue;
    }
    await mkdir(new URL('.', new URL(path, repositoryRoot)), { recursive: true });
    await writeFile(new URL(path, repositoryRoot), wanted);
    process.stdout.write(`${path}\n`);
  }
}
