import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A key with the record that its public key has in the DNS. */
export function generateDkimKey(): { pem: string; record: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    record: `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`,
  };
}

/** dkimpy of Debian, which belongs to Debian's Python; the records come from here instead of the DNS. */
const script = `
import dkim, json, sys
records = json.load(sys.stdin)
def record_of(name, timeout=5):
    return records.get(name.decode().rstrip('.'), '').encode() or None
with open(sys.argv[1], 'rb') as mail:
    print(dkim.verify(mail.read(), dnsfunc=record_of))
`;

/** Whether another program finds an email signed by the keys of the DNS. */
export async function isDkimSigned(raw: string, records: Readonly<Record<string, string>>): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'pinkas-dkim-'));
  try {
    const file = join(folder, 'mail.eml');
    await writeFile(file, raw);
    const verified = run('/usr/bin/python3', ['-c', script, file], { timeout: 60_000 });
    verified.child.stdin?.end(JSON.stringify(records));
    return (await verified).stdout.trim() === 'True';
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
