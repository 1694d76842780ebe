import { createHash } from 'node:crypto';
import { isUuid } from '@pinkas/contracts';

/** Where a message stands in its stream. The instant tells streams apart that were made one after the other. */
export interface StreamPlace {
  readonly stream: string;
  readonly sequence: number;
  /** When the stream took it, in nanoseconds since 1970. */
  readonly takenAtNanos: number;
}

/** The id that a message of ours bears, or null where it bears none: a stranger has published it. */
export function ownMessageId(given: string | undefined): string | null {
  return given !== undefined && isUuid(given) ? given.toLowerCase() : null;
}

/**
 * The id under which a stranger's message is parked: the same each time that it comes, and no other's. A UUID of version 8,
 * which RFC 9562 leaves to its maker.
 */
export function derivedMessageId({ stream, sequence, takenAtNanos }: StreamPlace): string {
  const hash = createHash('sha256').update(`${stream} ${sequence} ${takenAtNanos}`).digest();
  hash[6] = 0x80 | ((hash[6] ?? 0) & 0x0f);
  hash[8] = 0x80 | ((hash[8] ?? 0) & 0x3f);
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}
