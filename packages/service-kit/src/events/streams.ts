import { type JetStreamManager, nanos, RetentionPolicy, StorageType, type StreamConfig } from 'nats';

const dayMs = 24 * 60 * 60 * 1000;

type Settings = Pick<StreamConfig, 'num_replicas' | 'max_age' | 'max_bytes' | 'duplicate_window'>;

const settingsFor = (replicas: number): Settings => ({
  num_replicas: replicas,
  max_age: nanos(7 * dayMs),
  max_bytes: 1024 ** 3,
  duplicate_window: nanos(120_000),
});

/**
 * Makes the streams that are missing. Those who consume from a stream make it as well as its owner, since they may boot before it. Streams
 * are bounded: the truth is in SQL, they only carry it.
 *
 * A stream that is there is left as it is: whoever may change a stream may make it keep what others say, so no service has
 * that permission.
 * @returns the streams whose settings are not those of this version, with the names of the settings.
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
      if (differs.length > 0) differing.push({ stream: stream.name, differs });
    } catch (error) {
      if ((error as { api_error?: { code?: number } }).api_error?.code !== 404) throw error;
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
