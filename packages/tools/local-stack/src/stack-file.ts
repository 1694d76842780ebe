import type { ServiceName } from '@pinkas/contracts';
import type { Addresses } from './addresses.js';
import { type Home, writeJson } from './home.js';
import type { PartState } from './supervisor.js';

/** The demo business, its keys and its owner. */
export interface Demo {
  business_id: string;
  /** The address of the person who may use the console as its owner; `pinkas person link` signs them in. */
  owner_email: string;
  /** The values of the keys, which are shown nowhere else: of the live book and of the test book. */
  api_key: string;
  test_api_key: string;
}

/** `stack.json`: the addresses, processes and demo key of a running system, for scripts and tests. */
export interface StackFile {
  /** Ends in `/v1`. */
  base_url: string;
  view_url_base: string;
  pdf_url_base: string;
  docs_url: string;
  /** An origin, without a path. */
  console_url: string;
  /** With the operator's user. */
  nats_url: string;
  redis_url: string;
  /** Each service's database, with the role that the service uses. */
  postgres: Record<ServiceName, string>;
  demo: Demo | null;
  /** The page of the mailbox simulator; null when `SMTP_URL` is set. */
  mailbox_url: string | null;
  /** Base URLs of the simulators. */
  simulators: { gotenberg: string; tax_authority: string; whatsapp: string };
  /** The running processes; none after `down`. */
  services: { name: string; pid: number; log: string; health_url: string | null }[];
}

/** Replaces `stack.json` atomically. */
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
    console_url: addresses.consoleUrl,
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
    services: parts.flatMap(({ name, process, log, healthUrl, members }) => {
      const listed = members.length > 0 ? members : [{ name, log, healthUrl }];
      return process === null
        ? []
        : listed.map((member) => ({
            name: member.name,
            pid: process.pid,
            log: member.log,
            health_url: member.healthUrl,
          }));
    }),
  };
  writeJson(home.stackFile, content);
}
