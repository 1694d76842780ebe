import type { ServiceName } from '@pinkas/contracts';
import type { Addresses } from './addresses.js';
import { type Home, writeJson } from './home.js';
import type { PartState } from './supervisor.js';

/** The business that a newcomer may issue with. */
export interface Demo {
  business_id: string;
  /** The key's value, which nothing else shows again. */
  api_key: string;
}

/** `stack.json`: all that scripts and tests need to reach a running system. */
export interface StackFile {
  /** Ends in `/v1`. */
  base_url: string;
  view_url_base: string;
  pdf_url_base: string;
  docs_url: string;
  /** With the operator's user. */
  nats_url: string;
  redis_url: string;
  /** Each service's own database, with the role that serves. */
  postgres: Record<ServiceName, string>;
  demo: Demo | null;
  /** The mailbox's page; null when mail goes elsewhere. */
  mailbox_url: string | null;
  /** Base URLs of what stands in for the outside. */
  simulators: { gotenberg: string; tax_authority: string; whatsapp: string };
  /** Our processes; none after `down`. */
  services: { name: string; pid: number; log: string; health_url: string | null }[];
}

/** Writes `stack.json` as a whole. */
export function writeStackFile(
  home: Home,
  addresses: Addresses,
  demo: Demo | null,
  parts: readonly PartState[],
): void {
  const content: StackFile = {
    base_url: addresses.baseUrl,
    view_url_base: addresses.viewUrlBase,
    pdf_url_base: addresses.pdfUrlBase,
    docs_url: addresses.docsUrl,
    nats_url: addresses.nats.operator,
    redis_url: addresses.redisUrl,
    postgres: addresses.postgres,
    demo,
    mailbox_url: addresses.mailboxUrl,
    simulators: {
      gotenberg: addresses.gotenbergUrl,
      tax_authority: addresses.taxAuthorityOrigin,
      whatsapp: addresses.whatsappOrigin,
    },
    services: parts.flatMap(({ name, process, log, healthUrl }) =>
      process === null ? [] : [{ name, pid: process.pid, log, health_url: healthUrl }],
    ),
  };
  writeJson(home.stackFile, content);
}
