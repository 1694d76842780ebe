import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** The longest wait for fontconfig, whose cache may have to be made first. */
const listTimeoutMs = 10_000;

/** The fonts of this machine, which print what the fonts of a document do not have: each family with its versions. */
export type InstalledFonts = Readonly<Record<string, readonly string[]>>;

/** Reads the fonts from fontconfig; null where its program is not installed or fails. */
export async function readInstalledFonts(): Promise<InstalledFonts | null> {
  try {
    const { stdout } = await run('fc-list', ['--format', '%{family[0]}\t%{fontversion}\n'], {
      timeout: listTimeoutMs,
      maxBuffer: 4 * 1024 * 1024,
    });
    const families = new Map<string, Set<string>>();
    for (const line of stdout.split('\n').sort()) {
      const [family = '', version = ''] = line.split('\t');
      if (family !== '') {
        families.set(family, (families.get(family) ?? new Set()).add(versionText(Number(version))));
      }
    }
    return Object.fromEntries([...families].map(([family, versions]) => [family, [...versions].sort()]));
  } catch {
    return null;
  }
}

/** As a font shows its version: fontconfig has it as a number of sixteen binary places. */
const versionText = (version: number) => (version / 65_536).toFixed(3);
