import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The clone that this program belongs to. */
export const repositoryRoot: string = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '');

/** The environment of this process. */
export const environment: NodeJS.ProcessEnv = process.env;

/** The parts that somebody may run instead of us, by the variable that says where. */
export interface Replacements {
  /** `POSTGRES_URL`: an administrator's; databases and roles are made in it. */
  postgres: string | null;
  /** `NATS_URL`, such as `nats://127.0.0.1:4222`. JetStream must be on. */
  nats: string | null;
  /** `REDIS_URL`, such as `redis://127.0.0.1:6379`. */
  redis: string | null;
  /** `GOTENBERG_URL`, such as `http://127.0.0.1:3000`. */
  gotenberg: string | null;
  /** `TAX_AUTHORITY_URL`: the base up to and including `/shaam/{env}`. */
  taxAuthority: string | null;
  /** `SMTP_URL`, such as `smtp://127.0.0.1:2525`. */
  smtp: string | null;
  /** `WHATSAPP_URL`: the Cloud API's base, with its version; the id of the phone comes after it. */
  whatsapp: string | null;
}

/** What the environment says about the local stack. */
export interface StackConfig {
  /** `PINKAS_HOME`: absolute path of the folder with data, logs and `stack.json`. Default `<clone>/.pinkas`. */
  home: string;
  /** `PINKAS_PORT`: the gateway's port and no other. Default: 8080, or a free one when that is taken. */
  port: number | null;
  /** `PINKAS_REPLICAS`: how many processes of each service run, 1 to 9. Default 1. */
  replicas: number;
  replaced: Replacements;
  /** Whether npm started this process and must not leave it behind. */
  isRunByNpm: boolean;
  /** What every process of ours inherits. */
  inherited: NodeJS.ProcessEnv;
}

/** The environment holds values that cannot be meant. */
export class BadEnvironmentError extends Error {
  override readonly name = 'BadEnvironmentError';

  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

/** Variables of npm and of Node's own switches: they belong to the command that was typed, not to what it starts. */
const notInherited = /^(npm_|NODE_OPTIONS$|NODE_CHANNEL_|INIT_CWD$|PINKAS_)/;

const protocolsOf: Record<keyof Replacements, { variable: string; protocols: readonly string[] }> = {
  postgres: { variable: 'POSTGRES_URL', protocols: ['postgres:', 'postgresql:'] },
  nats: { variable: 'NATS_URL', protocols: ['nats:', 'tls:'] },
  redis: { variable: 'REDIS_URL', protocols: ['redis:', 'rediss:'] },
  gotenberg: { variable: 'GOTENBERG_URL', protocols: ['http:', 'https:'] },
  taxAuthority: { variable: 'TAX_AUTHORITY_URL', protocols: ['http:', 'https:'] },
  smtp: { variable: 'SMTP_URL', protocols: ['smtp:', 'smtps:'] },
  whatsapp: { variable: 'WHATSAPP_URL', protocols: ['http:', 'https:'] },
};

/** More would only take turns on one machine. */
const replicasMax = 9;

function homeOf(value: string | undefined): string {
  if (value === undefined || value === '') {
    return join(repositoryRoot, '.pinkas');
  }
  const expanded = value.startsWith('~/') ? join(homedir(), value.slice(2)) : value;
  // npm runs scripts in the clone, whatever folder the command was typed in.
  return isAbsolute(expanded) ? expanded : resolve(repositoryRoot, expanded);
}

/**
 * Reads the environment.
 *
 * @throws BadEnvironmentError that names every bad variable.
 */
export function readConfig(env: NodeJS.ProcessEnv = environment): StackConfig {
  const faults: string[] = [];

  let port: number | null = null;
  if (env.PINKAS_PORT !== undefined && env.PINKAS_PORT !== '') {
    port = Number(env.PINKAS_PORT);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      faults.push(`PINKAS_PORT must be a port from 1 to 65535, not '${env.PINKAS_PORT}'`);
    }
  }

  const replicas = Number(env.PINKAS_REPLICAS || 1);
  if (!Number.isInteger(replicas) || replicas < 1 || replicas > replicasMax) {
    faults.push(
      `PINKAS_REPLICAS must be a whole number from 1 to ${replicasMax}, not '${env.PINKAS_REPLICAS}'`,
    );
  }

  const replaced = {} as Replacements;
  for (const part of Object.keys(protocolsOf) as (keyof Replacements)[]) {
    const { variable, protocols } = protocolsOf[part];
    const value = env[variable];
    replaced[part] = value === undefined || value === '' ? null : value.replace(/\/+$/, '');
    // A list of servers is one URL per comma.
    const urls = replaced[part]?.split(',') ?? [];
    if (urls.some((url) => !URL.canParse(url) || !protocols.includes(new URL(url).protocol))) {
      faults.push(`${variable} must start with ${protocols.map((name) => `${name}//`).join(' or ')}`);
    }
  }

  if (faults.length > 0) {
    throw new BadEnvironmentError(faults);
  }
  return {
    home: homeOf(env.PINKAS_HOME),
    port,
    replicas,
    replaced,
    isRunByNpm: env.npm_lifecycle_event !== undefined,
    inherited: Object.fromEntries(Object.entries(env).filter(([name]) => !notInherited.test(name))),
  };
}
