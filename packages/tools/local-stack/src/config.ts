import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type NatsUser, natsUsers } from '@pinkas/contracts';

/** The clone that this program belongs to. */
export const repositoryRoot: string = folderAbove(fileURLToPath(import.meta.url), 'turbo.json');

/** This file is compiled to one folder and bundled into another. */
function folderAbove(path: string, name: string): string {
  const folder = dirname(path);
  if (existsSync(join(folder, name)) || folder === path) {
    return folder;
  }
  return folderAbove(folder, name);
}

/** The home where `PINKAS_HOME` names none. */
export const defaultHome: string = join(repositoryRoot, '.pinkas');

/** The environment of this process. */
export const environment: NodeJS.ProcessEnv = process.env;

/** The addresses of the parts that are not run by the local stack, each from a variable; null: the local stack runs the part. */
export interface Replacements {
  /** `POSTGRES_URL`: an administrator's URL; databases and roles are created with it. */
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
  /** `WHATSAPP_URL`: the Cloud API's base, with its version; the id of the phone follows it. */
  whatsapp: string | null;
}

/** Whether the services run in one process, or each in its own. */
type Layout = 'one' | 'separate';

/** The configuration of the local stack. */
export interface StackConfig {
  /** `PINKAS_HOME`: absolute path of the folder with data, logs and `stack.json`. Default `<clone>/.pinkas`. */
  home: string;
  /** `PINKAS_PORT`: the gateway's port. Default: 8080, or a free port when 8080 is in use. */
  port: number | null;
  /** `PINKAS_REPLICAS`: how many processes of each service run, 1 to 9. Default 1. */
  replicas: number;
  /** `PINKAS_LAYOUT`, or `separate` with `--separate`. Default: one process, unless each service has several. */
  layout: Layout;
  replaced: Replacements;
  /** `PINKAS_FAULTS=true`: rendering prints through a proxy that tests make slow or failing. Default: it prints directly. */
  faults: boolean;
  /**
   * `PINKAS_PROXIES`: for tests, a JSON object of a service's variable and the host and port that replace those of its URL, such
   * as `{"DATABASE_URL": "127.0.0.1:40001"}`, or of one service with `ISSUING_DATABASE_URL`. Default: services connect directly.
   */
  proxies: Readonly<Record<string, string>>;
  /** `PINKAS_PRELOAD`: for tests, the path of a module that every service loads first. Default: none. */
  preload: string | null;
  /** `TIMESTAMP_AUTHORITY_URL`: the time-stamp authority (RFC 3161) of each signature. Default: none. */
  timestampAuthorityUrl: string | null;
  /** `NATS_URL_ISSUING` and so on: the URL of one user of the external NATS, with its password. Default: `NATS_URL`. */
  natsUrls: Readonly<Partial<Record<NatsUser, string>>>;
  /** Whether npm started this process, which then must end with npm. */
  isRunByNpm: boolean;
  /** The environment that every started process inherits. */
  inherited: NodeJS.ProcessEnv;
}

/** The environment has invalid values. */
export class BadEnvironmentError extends Error {
  override readonly name = 'BadEnvironmentError';

  constructor(readonly errors: readonly string[]) {
    super(errors.join('\n'));
  }
}

/** Variables of npm and of Node's own switches: they apply to the command itself, not to the processes that it starts. */
const notInherited = /^(npm_|NODE_OPTIONS$|NODE_CHANNEL_|INIT_CWD$|PINKAS_|NATS_URL_)/;

const protocolsOf: Record<keyof Replacements, { variable: string; protocols: readonly string[] }> = {
  postgres: { variable: 'POSTGRES_URL', protocols: ['postgres:', 'postgresql:'] },
  nats: { variable: 'NATS_URL', protocols: ['nats:', 'tls:'] },
  redis: { variable: 'REDIS_URL', protocols: ['redis:', 'rediss:'] },
  gotenberg: { variable: 'GOTENBERG_URL', protocols: ['http:', 'https:'] },
  taxAuthority: { variable: 'TAX_AUTHORITY_URL', protocols: ['http:', 'https:'] },
  smtp: { variable: 'SMTP_URL', protocols: ['smtp:', 'smtps:'] },
  whatsapp: { variable: 'WHATSAPP_URL', protocols: ['http:', 'https:'] },
};

/** More replicas would only share the processors of one machine. */
const replicasMax = 9;

function homeOf(value: string | undefined): string {
  if (value === undefined || value === '') {
    return defaultHome;
  }
  const expanded = value.startsWith('~/') ? join(homedir(), value.slice(2)) : value;
  // npm runs scripts in the clone, wherever the command was typed.
  return isAbsolute(expanded) ? expanded : resolve(repositoryRoot, expanded);
}

/**
 * Reads the environment.
 *
 * @throws BadEnvironmentError that names every invalid variable.
 */
export function readConfig(env: NodeJS.ProcessEnv = environment): StackConfig {
  const errors: string[] = [];
  const replicas = replicasFrom(env, errors);
  const config: StackConfig = {
    home: homeOf(env.PINKAS_HOME),
    port: portFrom(env, errors),
    replicas,
    layout: layoutFrom(env, replicas, errors),
    replaced: replacementsFrom(env, errors),
    faults: env.PINKAS_FAULTS === 'true',
    proxies: proxiesFrom(env, errors),
    preload: env.PINKAS_PRELOAD || null,
    timestampAuthorityUrl: urlFrom(
      env,
      { variable: 'TIMESTAMP_AUTHORITY_URL', protocols: ['http:', 'https:'] },
      errors,
    ),
    natsUrls: natsUrlsFrom(env, errors),
    isRunByNpm: env.npm_lifecycle_event !== undefined,
    inherited: Object.fromEntries(Object.entries(env).filter(([name]) => !notInherited.test(name))),
  };
  if (errors.length > 0) {
    throw new BadEnvironmentError(errors);
  }
  return config;
}

function portFrom({ PINKAS_PORT: value }: NodeJS.ProcessEnv, errors: string[]): number | null {
  if (value === undefined || value === '') {
    return null;
  }
  const port = Number(value);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    errors.push(`PINKAS_PORT must be a port from 1 to 65535, not '${value}'`);
  }
  return port;
}

function replicasFrom({ PINKAS_REPLICAS: value }: NodeJS.ProcessEnv, errors: string[]): number {
  const replicas = Number(value || 1);
  if (!Number.isInteger(replicas) || replicas < 1 || replicas > replicasMax) {
    errors.push(`PINKAS_REPLICAS must be a whole number from 1 to ${replicasMax}, not '${value}'`);
  }
  return replicas;
}

function layoutFrom({ PINKAS_LAYOUT: value }: NodeJS.ProcessEnv, replicas: number, errors: string[]): Layout {
  if (value && value !== 'one' && value !== 'separate') {
    errors.push(`PINKAS_LAYOUT must be one or separate, not '${value}'`);
  }
  if (value === 'one' && replicas > 1) {
    errors.push('PINKAS_LAYOUT=one has one process of each service: unset PINKAS_REPLICAS, or use separate');
  }
  return value === 'separate' || replicas > 1 ? 'separate' : 'one';
}

function proxiesFrom({ PINKAS_PROXIES: value }: NodeJS.ProcessEnv, errors: string[]): StackConfig['proxies'] {
  try {
    const proxies: unknown = JSON.parse(value || '{}');
    const addresses = Object.values(proxies as object);
    if (addresses.every((address) => /^[\w.-]+:\d{1,5}$/.test(String(address)))) {
      return proxies as Record<string, string>;
    }
  } catch {
    // Reported below.
  }
  errors.push('PINKAS_PROXIES must be a JSON object of variables and addresses such as 127.0.0.1:40001');
  return {};
}

function replacementsFrom(env: NodeJS.ProcessEnv, errors: string[]): Replacements {
  const parts = Object.keys(protocolsOf) as (keyof Replacements)[];
  return Object.fromEntries(
    parts.map((part) => [part, replacementFrom(env, part, errors)]),
  ) as unknown as Replacements;
}

function natsUrlsFrom(env: NodeJS.ProcessEnv, errors: string[]): StackConfig['natsUrls'] {
  const { protocols } = protocolsOf.nats;
  const urls: Partial<Record<NatsUser, string>> = {};
  for (const user of natsUsers) {
    const url = urlFrom(env, { variable: `NATS_URL_${user.toUpperCase()}`, protocols }, errors);
    if (url !== null) {
      urls[user] = url;
    }
  }
  if (Object.keys(urls).length > 0 && !env.NATS_URL) {
    errors.push('NATS_URL must be set where the URL of one of its users is');
  }
  return urls;
}

function replacementFrom(env: NodeJS.ProcessEnv, part: keyof Replacements, errors: string[]): string | null {
  return urlFrom(env, protocolsOf[part], errors);
}

function urlFrom(
  env: NodeJS.ProcessEnv,
  { variable, protocols }: { variable: string; protocols: readonly string[] },
  errors: string[],
): string | null {
  const value = env[variable];
  if (value === undefined || value === '') {
    return null;
  }
  const urls = value.replace(/\/+$/, '');
  // A comma separates the URLs of several servers.
  const isUrl = (url: string) => URL.canParse(url) && protocols.includes(new URL(url).protocol);
  if (!urls.split(',').every(isUrl)) {
    errors.push(`${variable} must start with ${protocols.map((name) => `${name}//`).join(' or ')}`);
  }
  return urls;
}
