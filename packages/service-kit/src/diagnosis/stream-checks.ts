import {
  type ConsumerInfo,
  JetStreamApiError,
  type JetStreamManager,
  type StreamInfo,
} from '@nats-io/jetstream';
import { type Check, consumerBindings, type ServiceName, streamOf } from '@pinkas/contracts';
import { type Kysely, sql } from 'kysely';
import type { MessagingTables } from '../events/messaging.tables.js';
import { type CheckSource, failure, ok, warning } from './diagnosis.js';
import { bytesText, secondsText } from './quantities.js';

/** As the alerts have them (deploy/helm/pinkas/files/alerts.yaml). */
const backlogMax = 500;
const unsentSecondsMax = 60;
const overdueSecondsMax = 300;
/** Of its limit; beyond it a stream drops its oldest events, which the reconcilers then find in SQL. */
const fullShare = 0.8;

/** Checks the stream of a service's own events, its consumers, and what its database has of events that were not handled. */
export function streamChecks(
  service: ServiceName,
  manager: () => Promise<JetStreamManager>,
  db: Kysely<MessagingTables>,
): CheckSource {
  const consumed = consumerBindings.filter((binding) => binding.service === service);
  return async () => {
    const streams = async () => {
      try {
        const api = await manager();
        const own = streamOf(service).name;
        return await Promise.all([
          api.streams.info(own).then(streamCheck, orMissing(`stream ${own}`)),
          ...consumed.map(({ event, durable }) =>
            api.consumers
              .info(streamOf(event.owner).name, durable)
              .then(consumerCheck, orMissing(`consumer ${durable}`)),
          ),
        ]);
      } catch (error) {
        return [
          failure(
            'streams',
            'JetStream',
            `does not answer: ${(error as Error).message}`,
            'Check that a majority of the servers of NATS run: docs/runbooks/server-unreachable.md',
          ),
        ];
      }
    };
    const [found, stored] = await Promise.all([streams(), eventChecks(service, db)]);
    return [...found, ...stored];
  };
}

const orMissing =
  (subject: string) =>
  (error: unknown): Check => {
    if (error instanceof JetStreamApiError && error.status === 404) {
      return failure(
        'streams',
        subject,
        'is missing: events wait in the database',
        'It is created again within a minute; if not, restart the service: docs/runbooks/outbox-unsent.md',
      );
    }
    throw error;
  };

function streamCheck({ config, state, cluster }: StreamInfo): Check {
  const subject = `stream ${config.name}`;
  const away = (cluster?.replicas ?? []).filter(({ offline, current }) => offline || !current);
  const share = config.max_bytes > 0 ? state.bytes / config.max_bytes : 0;
  const limit = config.max_bytes > 0 ? ` of ${bytesText(config.max_bytes)}` : '';
  const size = `${state.messages} events, ${bytesText(state.bytes)}${limit}`;
  if (away.length > 0) {
    return warning(
      'streams',
      subject,
      `${away.map(({ name }) => name).join(' and ')} of NATS lack a part of it`,
      'Wait until they have caught up, or start them: docs/runbooks/server-unreachable.md',
    );
  }
  return share > fullShare
    ? warning(
        'streams',
        subject,
        `is nearly full: ${size}`,
        `As the user operator: nats stream edit ${config.name} --max-bytes with a larger value`,
      )
    : ok('streams', subject, size);
}

function consumerCheck({ name, num_pending: pending, num_ack_pending: inFlight }: ConsumerInfo): Check {
  const subject = `consumer ${name}`;
  const finding = `${pending} events are pending, ${inFlight} are being handled`;
  return pending > backlogMax
    ? warning('streams', subject, finding, 'Look at the log of its service: docs/runbooks/events-overdue.md')
    : ok('streams', subject, finding);
}

interface EventsRow {
  dead: number;
  unsentSeconds: number;
  overdueSeconds: number;
}

async function eventChecks(service: ServiceName, db: Kysely<MessagingTables>): Promise<Check[]> {
  const { rows } = await sql<EventsRow>`
    select (select count(*)::int from dead_letter) as dead,
      (select coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::int
        from outbox where sent_at is null) as "unsentSeconds",
      (select coalesce(extract(epoch from clock_timestamp() - min(first_due_at)), 0)::int
        from due_event) as "overdueSeconds"
  `.execute(db);
  const { dead, unsentSeconds, overdueSeconds } = rows[0] ?? { dead: 0, unsentSeconds: 0, overdueSeconds: 0 };
  const subject = `events of ${service}`;
  const checks = [
    ...(dead > 0
      ? [
          warning(
            'streams',
            subject,
            dead === 1 ? '1 is dead-lettered' : `${dead} are dead-lettered`,
            'pinkas queue dead shows the reason: docs/runbooks/dead-letters.md',
          ),
        ]
      : []),
    ...(unsentSeconds > unsentSecondsMax
      ? [
          failure(
            'streams',
            subject,
            `the oldest that NATS has not taken is ${secondsText(unsentSeconds)} old`,
            'docs/runbooks/outbox-unsent.md',
          ),
        ]
      : []),
    ...(overdueSeconds > overdueSecondsMax
      ? [
          warning(
            'streams',
            subject,
            `the oldest that fails has been due for ${secondsText(overdueSeconds)}`,
            'docs/runbooks/events-overdue.md',
          ),
        ]
      : []),
  ];
  return checks.length > 0 ? checks : [ok('streams', subject, 'none is dead-lettered, unsent or overdue')];
}
