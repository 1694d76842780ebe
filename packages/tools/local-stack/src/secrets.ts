import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type NatsUser, natsUsers, serviceNames } from '@pinkas/contracts';
import { createSelfSignedP12 } from '@pinkas/simulators';
import { type Home, readJson, writeJson, writeWhole } from './home.js';

/** The secrets of a home; created once and stored as long as its data. */
export interface Secrets {
  postgresPassword: string;
  /** Passwords of the database roles, by role name. */
  rolePasswords: Record<string, string>;
  natsPasswords: Record<NatsUser, string>;
  /** Hex, 32 bytes. Without it no stored key hash can be checked. */
  apiKeyPepper: string;
  /** Hex, 32 bytes. Without it no stored token of the authority can be read. */
  tokenEncryptionKey: string;
  /** Hex, 32 bytes. Without it no secret of a webhook endpoint can be read. */
  webhookEncryptionKey: string;
  /** Hex, 32 bytes. Signs the console's cookies. */
  cookieSecret: string;
  taxAuthorityClientId: string;
  taxAuthorityClientSecret: string;
  signingPassword: string;
  whatsappToken: string;
}

const token = (bytes: number) => randomBytes(bytes).toString('hex');

function makeSecrets(): Secrets {
  return {
    postgresPassword: token(24),
    rolePasswords: {},
    natsPasswords: {} as Record<NatsUser, string>,
    apiKeyPepper: token(32),
    tokenEncryptionKey: token(32),
    webhookEncryptionKey: token(32),
    cookieSecret: token(32),
    taxAuthorityClientId: `pinkas-${token(6)}`,
    taxAuthorityClientSecret: token(24),
    signingPassword: token(16),
    whatsappToken: token(24),
  };
}

/** Reads the secrets of this home; creates and stores the missing ones, and never changes an existing one. */
export async function ensureSecrets(home: Home): Promise<Secrets> {
  const secrets = { ...makeSecrets(), ...readJson<Partial<Secrets>>(home.secretsFile) };
  for (const service of serviceNames) {
    for (const role of [`pinkas_${service}_owner`, `pinkas_${service}`]) {
      secrets.rolePasswords[role] ??= token(18);
    }
  }
  for (const user of natsUsers) {
    secrets.natsPasswords[user] ??= token(18);
  }
  writeJson(home.secretsFile, secrets);
  await ensureCertificate(home.signingFile, 'Pinkas local demo', secrets.signingPassword);
  await ensureCertificate(home.testSigningFile, 'Pinkas test documents', secrets.signingPassword);
  return secrets;
}

async function ensureCertificate(file: string, commonName: string, password: string): Promise<void> {
  if (!existsSync(file)) {
    writeWhole(file, await createSelfSignedP12({ commonName, password, years: 10 }));
  }
}
