import { contracts, events, streamOf } from '../catalogue.js';
import { type EventContract, type ServiceName, serviceNames } from '../define.js';
import { allowedCalls } from './allowed-calls.js';
import { consumerBindings, watchers } from './consumer-bindings.js';

/** The users of NATS: one for each service, and one for the operator. */
export const natsUsers = [...serviceNames, 'operator'] as const;
export type NatsUser = (typeof natsUsers)[number];

/** What a user may do; everything else is refused by the server. Subjects may hold wildcards. */
export interface NatsPermissions {
  readonly publish: readonly string[];
  /** A second word is the one queue group that may be joined there. */
  readonly subscribe: readonly string[];
}

/**
 * The subject prefix of the replies to a user's requests. Each service has its own, so that none can read the replies to
 * another; the operator has the default of every NATS client, so that any tool works with that user.
 */
export function inboxPrefixOf(user: NatsUser): string {
  return user === 'operator' ? '_INBOX' : `_INBOX_${user}`;
}

/** The streams that a service creates where they are missing: that of its own events, and those that it consumes. */
export function streamsOf(service: ServiceName): { name: string; subjects: string[] }[] {
  const owners = new Set([
    ...events.filter((event) => event.owner === service).map((event) => event.owner),
    ...consumerBindings
      .filter((binding) => binding.service === service)
      .map((binding) => binding.event.owner),
  ]);
  return [...owners].map(streamOf);
}

/** The complete permissions of a user on NATS. */
export function permissionsOf(user: NatsUser): NatsPermissions {
  const inbox = `${inboxPrefixOf(user)}.>`;
  if (user === 'operator') {
    // Calls everything, observes every event, and repairs streams.
    return { publish: ['rpc.>', '$JS.API.>'], subscribe: [inbox, 'evt.>'] };
  }
  return {
    publish: [
      ...allowedCalls[user].map((contract) => contract.subject),
      ...reconcilerSubjects(user),
      ...events.filter((event) => event.owner === user).map(everyDocument),
      ...jetstreamSubjects(user),
      // Named, since `allow_responses` forgets the requests in flight when a server reloads its configuration (ADR 0017).
      ...callersOf(user).map((caller) => `${inboxPrefixOf(caller)}.>`),
    ],
    subscribe: [
      inbox,
      `rpc.${user}.> ${user}`,
      ...contracts
        .filter(({ owner, handledBy }) => owner === user && handledBy === 'every process')
        .map(({ subject }) => subject),
      ...(watchers.includes(user) ? ['evt.*.*.*.v1.*'] : []),
    ],
  };
}

/** The users that wait for replies of a service. */
function callersOf(service: ServiceName): NatsUser[] {
  return natsUsers.filter(
    (user) =>
      user === 'operator' ||
      allowedCalls[user].some(({ owner }) => owner === service) ||
      reconcilerSubjects(user).some((subject) => subject.startsWith(`rpc.${service}.`)),
  );
}

const everyDocument = (event: EventContract) => `${event.subject}.*`;

/** The reconciler of each consumer lists the outbox events of the event's owner. */
function reconcilerSubjects(service: ServiceName): string[] {
  const owners = new Set(
    consumerBindings.filter((binding) => binding.service === service).map((binding) => binding.event.owner),
  );
  return contracts
    .filter((contract) => owners.has(contract.owner))
    .filter((contract) => contract.subject.startsWith(`rpc.${contract.owner}.outbox_event.`))
    .map((contract) => contract.subject);
}

/** The services that compare what they have published with what their database has. */
const comparesPublished: readonly ServiceName[] = ['issuing'];

/**
 * The parts of JetStream's API that a service needs: to create streams, but not to change, empty or delete one; and
 * of each of its consumers everything but to delete it.
 */
function jetstreamSubjects(service: ServiceName): string[] {
  const streams = streamsOf(service);
  if (streams.length === 0) {
    return [];
  }
  return [
    '$JS.API.INFO',
    ...streams.flatMap(({ name }) => [`$JS.API.STREAM.INFO.${name}`, `$JS.API.STREAM.CREATE.${name}`]),
    ...(comparesPublished.includes(service) ? [`$JS.API.STREAM.MSG.GET.${streamOf(service).name}`] : []),
    ...consumerBindings
      .filter((binding) => binding.service === service)
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
