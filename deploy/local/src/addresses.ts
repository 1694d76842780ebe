import { type NatsUser, natsUsers, type ServiceName, serviceNames } from '@pinkas/contracts';
import type { StackConfig } from './config.js';
import { databaseUrls } from './databases.js';
import type { Ports } from './ports.js';
import { frontPort, replicasOf } from './replicas.js';
import type { Secrets } from './secrets.js';

/** Where everything is reached, whether it is ours or somebody else's. */
export interface Addresses {
  baseUrl: string;
  viewUrlBase: string;
  pdfUrlBase: string;
  docsUrl: string;
  paymentUrl: string;
  /** The administrator's. */
  postgresUrl: string;
  /** Each service's own database, with the role that serves. */
  postgres: Record<ServiceName, string>;
  /** Each service's, and the operator's, with its own password. */
  nats: Record<NatsUser, string>;
  redisUrl: string;
  gotenbergUrl: string;
  /** Up to and including `/shaam/{env}`. */
  taxAuthorityUrl: string;
  /** Without a path: where the simulator takes `/_mode`. */
  taxAuthorityOrigin: string;
  smtpUrl: string;
  /** The page of our mailbox; null when mail goes elsewhere. */
  mailboxUrl: string | null;
  /** The Cloud API's base, before the id of the phone. */
  whatsappUrl: string;
  /** Without a path: where the simulator takes `/_mode`. */
  whatsappOrigin: string;
}

/** The names under which ports are kept, with so many replicas of each service. */
export function portNamesOf(replicas: number): string[] {
  const processes = replicasOf(replicas);
  return [
    frontPort,
    ...processes.map(({ name }) => name),
    'postgres',
    'nats',
    'redis',
    'gotenberg',
    'tax-authority',
    'mailbox',
    'mailbox-smtp',
    'whatsapp',
    ...(replicas === 1
      ? []
      : ['load-balancer', ...processes.flatMap(({ httpPort }) => (httpPort === null ? [] : [httpPort]))]),
  ];
}

/** The gateway's port unless it is taken. */
export const preferredGatewayPort = 8080;

/** Puts every address together. */
export function addressesOf(config: StackConfig, ports: Ports, secrets: Secrets): Addresses {
  const { replaced } = config;
  const at = (name: string) => `127.0.0.1:${ports.number(name)}`;
  const origin = `http://${at(frontPort)}`;
  const postgresUrl =
    replaced.postgres ?? `postgres://postgres:${secrets.postgresPassword}@${at('postgres')}/postgres`;
  const taxAuthorityUrl = replaced.taxAuthority ?? `http://${at('tax-authority')}/shaam/tsandbox`;
  const whatsappUrl = replaced.whatsapp ?? `http://${at('whatsapp')}`;
  return {
    baseUrl: `${origin}/v1`,
    viewUrlBase: `${origin}/d`,
    pdfUrlBase: `${origin}/pdf`,
    docsUrl: `${origin}/docs`,
    paymentUrl: `${origin}/docs/subscription`,
    postgresUrl,
    postgres: Object.fromEntries(
      serviceNames.map((service) => [service, databaseUrls(postgresUrl, service, secrets).login]),
    ) as Record<ServiceName, string>,
    nats: Object.fromEntries(
      natsUsers.map((user) => [
        user,
        // Whoever runs NATS instead of us says in its address how one connects.
        replaced.nats ?? `nats://${user}:${secrets.natsPasswords[user]}@${at('nats')}`,
      ]),
    ) as Record<NatsUser, string>,
    redisUrl: replaced.redis ?? `redis://${at('redis')}`,
    gotenbergUrl: replaced.gotenberg ?? `http://${at('gotenberg')}`,
    taxAuthorityUrl,
    taxAuthorityOrigin: new URL(taxAuthorityUrl).origin,
    smtpUrl: replaced.smtp ?? `smtp://${at('mailbox-smtp')}`,
    mailboxUrl: replaced.smtp === null ? `http://${at('mailbox')}` : null,
    whatsappUrl,
    whatsappOrigin: new URL(whatsappUrl).origin,
  };
}
