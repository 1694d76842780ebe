import {
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/nats-core';

const dayMs = 24 * 60 * 60 * 1000;

/** How long a stream keeps an event, in days. */
export const streamDays = 7;

type Settings = Pick<StreamConfig, 'num_replicas' | 'max_age' | 'max_bytes' | 'duplicate_window'>;

const settingsFor = (replicas: number): Settings => ({
  num_replicas: replicas,
  max_age: nanos(streamDays * dayMs),
  max_bytes: 1024 ** 3,
  duplicate_window: nanos(120_000),
});

/**
 * Creates the streams that are missing. Consumers create a stream as well as its owner, since they may start first. An existing
 * stream is not changed: that permission would let a service capture the subjects of others.
 * @returns the existing streams whose settings differ from this version's, with the names of the settings.
 */
export async function ensureStreams(
  manager: JetStreamManager,
  streams: readonly { name: string; subjects: string[] }[],
  replicas: number,
): Promise<{ stream: string; differs: string[] }[]> {
  const wanted = settingsFor(replicas);
  const differing: { stream: string; differs: string[] }[] = [];
  for (const stream of streams) {
    try {
      const { config } = await manager.streams.info(stream.name);
      const differs = (Object.keys(wanted) as (keyof Settings)[]).filter(
        (key) => config[key] !== wanted[key],
      );
      if (differs.length > 0) {
        differing.push({ stream: stream.name, differs });
      }
    } catch (error) {
      if (!(error instanceof JetStreamApiError && error.status === 404)) {
        throw error;
      }
      await manager.streams.add({
        ...stream,
        ...wanted,
        retention: RetentionPolicy.Limits,
        storage: StorageType.File,
      });
    }
  }
  return differing;
}
