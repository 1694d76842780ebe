import { consumerBindings, messagingServices } from '@pinkas/contracts';
import type { Database, MessagingTables } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import type { RunningStack } from './running-stack.js';

/**
 * Waits until every service has sent its events and every consumer has handled those that are for it, and expects that none was
 * dead-lettered.
 */
export async function expectNothingPending(stack: RunningStack): Promise<void> {
  const databases = new Map<string, Database<MessagingTables>>();
  for (const service of messagingServices) {
    databases.set(service, await stack.database<MessagingTables>(service));
  }
  const of = (service: string) => databases.get(service) as Database<MessagingTables>;
  for (const service of messagingServices) {
    await eventually(
      `${service} has sent its events`,
      async () =>
        (await of(service).selectFrom('outbox').select('id').where('sent_at', 'is', null).execute())
          .length === 0,
    );
  }
  for (const { service, event, durable } of consumerBindings) {
    await eventually(
      `${durable} has handled every event`,
      async () => {
        const published = await of(event.owner)
          .selectFrom('outbox')
          .select('id')
          .where('subject', 'like', `${event.subject}.%`)
          .execute();
        const handled = await of(service)
          .selectFrom('inbox')
          .select('message_id')
          .where('consumer', '=', durable)
          .execute();
        const ids = new Set(handled.map(({ message_id }) => message_id));
        return published.every(({ id }) => ids.has(id));
      },
      120_000,
    );
  }
  for (const service of messagingServices) {
    const dead = await of(service).selectFrom('dead_letter').selectAll().execute();
    if (dead.length > 0) {
      throw new Error(`${service} has dead-lettered ${JSON.stringify(dead)}`);
    }
  }
}
