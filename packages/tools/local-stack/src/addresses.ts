import { type NatsUser, natsUsers, type ServiceName, serviceNames } from '@pinkas/contracts';
import type { StackConfig } from './config.js';
import { databaseUrls } from './databases.js';
import type { Ports } from './ports.js';
import { balancerOf, frontPorts, httpServices, replicasOf } from './replicas.js';
import type { Secrets } from './secrets.js';

/** The addresses of all parts, whether the local stack runs them or not. */
export interface Addresses {
  baseUrl: string;
  viewUrlBase: string;
  pdfUrlBase: string;
  docsUrl: string;
  paymentUrl: string;
  /** An origin, without a path. */
  consoleUrl: string;
  /** The administrator's URL. */
  postgresUrl: string;
  /** Each service's database, with the role that the service uses. */
  postgres: Record<ServiceName, string>;
  /** The URLs of the services and the operator, each with its own password. */
  nats: Record<NatsUser, string>;
  redisUrl: string;
  /** Where rendering prints: the print server, or the proxy in front of it. */
  gotenbergUrl: string;
  /** The print server itself. */
  printServerUrl: string;
  /** Up to and including `/shaam/{env}`. */
  taxAuthorityUrl: string;
  /** Without a path: the simulator serves `/_mode` there. */
  taxAuthorityOrigin: string;
  smtpUrl: string;
  /** The page of the mailbox simulator; null when `SMTP_URL` is set. */
  mailboxUrl: string | null;
  /** The Cloud API's base, before the id of the phone. */
  whatsappUrl: string;
  /** Without a path: the simulator serves `/_mode` there. */
  whatsappOrigin: string;
}

/** The names of all ports, with this number of replicas of each service. */
export function portNamesOf(replicas: number): string[] {
  const processes = replicasOf(replicas);
  return [
    ...Object.values(frontPorts),
    ...processes.map(({ name }) => name),
    'one',
    'postgres',
    'nats',
    'redis',
    'gotenberg',
    'gotenberg-health',
    'fault-proxy',
    'tax-authority',
    'mailbox',
    'mailbox-smtp',
    'whatsapp',
    ...(replicas === 1
      ? []
      : [
          ...httpServices.map(balancerOf),
          ...processes.flatMap(({ httpPort }) => (httpPort === null ? [] : [httpPort])),
        ]),
  ];
}

/** The ports of the gateway and the console unless they are in use. */
export const preferredPorts = { [frontPorts.gateway]: 8080, [frontPorts.console]: 8090 };

/** Computes all addresses. */
export function addressesOf(config: StackConfig, ports: Ports, secrets: Secrets): Addresses {
  const { replaced } = config;
  const at = (name: string) => `127.0.0.1:${ports.number(name)}`;
  const origin = `http://${at(frontPorts.gateway)}`;
  const postgresUrl =
    replaced.postgres ?? `postgres://postgres:${secrets.postgresPassword}@${at('postgres')}/postgres`;
  const taxAuthorityUrl = replaced.taxAuthority ?? `http://${at('tax-authority')}/shaam/tsandbox`;
  const printServerUrl = replaced.gotenberg ?? `http://${at('gotenberg')}`;
  const whatsappUrl = replaced.whatsapp ?? `http://${at('whatsapp')}`;
  return {
    baseUrl: `${origin}/v1`,
    viewUrlBase: `${origin}/d`,
    pdfUrlBase: `${origin}/pdf`,
    docsUrl: `${origin}/docs`,
    paymentUrl: `${origin}/docs/subscription`,
    // Not by number: browsers make passkeys for names alone.
    consoleUrl: `http://localhost:${ports.number(frontPorts.console)}`,
    postgresUrl,
    postgres: Object.fromEntries(
      serviceNames.map((service) => [service, databaseUrls(postgresUrl, service, secrets).login]),
    ) as Record<ServiceName, string>,
    nats: Object.fromEntries(
      natsUsers.map((user) => [
        user,
        // The address of an external NATS server includes its own credentials.
        config.natsUrls[user] ??
          replaced.nats ??
          `nats://${user}:${secrets.natsPasswords[user]}@${at('nats')}`,
      ]),
    ) as Record<NatsUser, string>,
    redisUrl: replaced.redis ?? `redis://${at('redis')}`,
    gotenbergUrl: config.faults ? `http://${at('fault-proxy')}` : printServerUrl,
    printServerUrl,
    taxAuthorityUrl,
    taxAuthorityOrigin: new URL(taxAuthorityUrl).origin,
    smtpUrl: replaced.smtp ?? `smtp://${at('mailbox-smtp')}`,
    mailboxUrl: replaced.smtp === null ? `http://${at('mailbox')}` : null,
    whatsappUrl,
    whatsappOrigin: new URL(whatsappUrl).origin,
  };
}
