import { execFile } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ServiceName } from '@pinkas/contracts';

const run = promisify(execFile);
const packer = fileURLToPath(new URL('../../../deploy/pack-service.mjs', import.meta.url));
const packTimeoutMs = 180_000;
const bytesPerKb = 1_024;

/** The size of what the image of a service holds beside Node, in KB. */
export async function packedKb(service: ServiceName): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'pinkas-packed-'));
  try {
    await run(process.execPath, [packer, service, folder], { timeout: packTimeoutMs });
    return bytesBelow(folder) / bytesPerKb;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);
}
