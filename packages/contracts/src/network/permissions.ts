import { contracts, events, streamOf } from '../catalogue.js';
import { type EventContract, type ServiceName, serviceNames } from '../define.js';
import { asks } from './asks.js';
import { consumptions, watchers } from './consumptions.js';

/** Whoever may connect to NATS: a user for each service, and one for the person who runs the system. */
export const natsUsers = [...serviceNames, 'operator'] as const;
export type NatsUser = (typeof natsUsers)[number];

/** What a user may do; everything else is refused by the server. Subjects may hold wildcards. */
export interface NatsPermissions {
  readonly publish: readonly string[];
  /** A second word is the one queue group that may be joined there. */
  readonly subscribe: readonly string[];
  /** Whether whoever asked the user may be answered, on the one subject that the question names. */
  readonly answers: boolean;
}

/**
 * Where the answers to a user's questions arrive. Each service has a place of its own, so that none can read what another is
 * answered; the operator has the default of every NATS client, so that any tool works with that user.
 */
export function inboxPrefixOf(user: NatsUser): string {
  return user === 'operator' ? '_INBOX' : `_INBOX_${user}`;
}

/** The streams that a service makes where they are missing: that of its own events, and those that it consumes. */
export function streamsOf(service: ServiceName): { name: string; subjects: string[] }[] {
  const owners = new Set([
    ...events.filter((event) => event.owner === service).map((event) => event.owner),
    ...consumptions.filter((one) => one.service === service).map((one) => one.event.owner),
  ]);
  return [...owners].map(streamOf);
}

/** What a user may do on NATS, and no more. */
export function permissionsOf(user: NatsUser): NatsPermissions {
  const inbox = `${inboxPrefixOf(user)}.>`;
  if (user === 'operator') {
    // Asks everything, sees every event pass, and mends streams.
    return { publish: ['rpc.>', '$JS.API.>'], subscribe: [inbox, 'evt.>'], answers: false };
  }
  return {
    publish: [
      ...asks[user].map((contract) => contract.subject),
      ...sweptSubjects(user),
      ...events.filter((event) => event.owner === user).map(everyDocument),
      ...jetstreamSubjects(user),
    ],
    subscribe: [inbox, `rpc.${user}.> ${user}`, ...(watchers.includes(user) ? ['evt.*.*.*.v1.*'] : [])],
    answers: true,
  };
}

const everyDocument = (event: EventContract) => `${event.subject}.*`;

/** Every consumer asks the owner of its event what was announced, so that nothing is lost with a stream. */
function sweptSubjects(service: ServiceName): string[] {
  const owners = new Set(consumptions.filter((one) => one.service === service).map((one) => one.event.owner));
  return contracts
    .filter((contract) => owners.has(contract.owner))
    .filter((contract) => contract.subject.startsWith(`rpc.${contract.owner}.announcement.`))
    .map((contract) => contract.subject);
}

/**
 * The parts of JetStream's own interface that a service needs: to make streams, but not to change, empty or delete one; and
 * of each of its consumers everything but to delete it.
 */
function jetstreamSubjects(service: ServiceName): string[] {
  const streams = streamsOf(service);
  if (streams.length === 0) return [];
  return [
    '$JS.API.INFO',
    ...streams.flatMap(({ name }) => [`$JS.API.STREAM.INFO.${name}`, `$JS.API.STREAM.CREATE.${name}`]),
    ...consumptions
      .filter((one) => one.service === service)
      .flatMap(({ event, durable }) => {
        const consumer = `${streamOf(event.owner).name}.${durable}`;
        return [
          `$JS.API.CONSUMER.INFO.${consumer}`,
          `$JS.API.CONSUMER.CREATE.${consumer}.${everyDocument(event)}`,
          `$JS.API.CONSUMER.MSG.NEXT.${consumer}`,
          `$JS.ACK.${consumer}.>`,
        ];
      }),
  ];
}
