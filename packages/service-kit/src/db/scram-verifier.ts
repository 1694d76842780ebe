import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

const iterations = 4_096;
const printableAscii = /^[\x20-\x7e]+$/;

/**
 * What PostgreSQL stores of a password (RFC 5802, RFC 7677), so that `alter role` need not contain it: statements are logged.
 * @throws Error for a password that clients would first normalise.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  if (!printableAscii.test(password)) {
    throw new Error('The password of a database role must be printable ASCII: change it in its URL.');
  }
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const clientKey = createHmac('sha256', salted).update('Client Key').digest();
  const storedKey = createHash('sha256').update(clientKey).digest('base64');
  const serverKey = createHmac('sha256', salted).update('Server Key').digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
