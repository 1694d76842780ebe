import { readFile, writeFile } from 'node:fs/promises';
import { serviceNames } from '../define.js';
import { wireFaults } from './wire-compatibility.js';
import { type WireSchemas, wireFile, wireSchemas, wireText } from './wire-schemas.js';

/*
 * `npm run wire -w @pinkas/contracts [-- SUBJECT …]` writes the schemas anew, unless the release before would not understand this
 * one. The subjects named may go: no release that is still in use asks or consumes them.
 */
const maySubjectGo = new Set(process.argv.slice(2));
const current = wireSchemas();
const faults: string[] = [];
for (const service of serviceNames) {
  const before = JSON.parse(await readFile(wireFile(service), 'utf8').catch(() => '{}')) as WireSchemas;
  const kept = Object.entries(before).filter(([subject]) => !maySubjectGo.has(subject));
  faults.push(...wireFaults(Object.fromEntries(kept), current[service]));
}
if (faults.length > 0) {
  process.stderr.write(
    `${faults.join('\n')}\nGive the subject a new version (docs/adr/0018-rolling-releases.md).\n`,
  );
  process.exitCode = 1;
} else {
  for (const service of serviceNames) await writeFile(wireFile(service), wireText(current[service]));
}
