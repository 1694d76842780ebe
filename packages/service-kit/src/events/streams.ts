import { events, streamOf } from '@pinkas/contracts';
import { type JetStreamManager, nanos, RetentionPolicy, StorageType, type StreamConfig } from 'nats';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Makes the streams of all events, or brings them up to date. Every service does so at start, since a consumer may boot
 * before the service that publishes to it. Streams are bounded: the truth is in SQL, they only carry it.
 */
export async function ensureStreams(manager: JetStreamManager, replicas: number): Promise<void> {
  const owners = new Set(events.map((event) => event.owner));
  for (const owner of owners) {
    const config: Partial<StreamConfig> & { name: string } = {
      ...streamOf(owner),
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      num_replicas: replicas,
      max_age: nanos(7 * dayMs),
      max_bytes: 1024 ** 3,
      duplicate_window: nanos(120_000),
    };
    try {
      await manager.streams.info(config.name);
      await manager.streams.update(config.name, config);
    } catch (error) {
      if ((error as { api_error?: { code?: number } }).api_error?.code !== 404) throw error;
      await manager.streams.add(config);
    }
  }
}
