import { createHash } from 'node:crypto';
import { isUuid } from '@pinkas/contracts';

/** The place of a message in its stream. The instant distinguishes streams that were created one after the other. */
interface StreamPlace {
  readonly stream: string;
  readonly sequence: number;
  /** When the stream stored it, in nanoseconds since 1970. */
  readonly storedAtNanos: number;
}

/** The id that an outbox gave to a message; null where the message did not come from an outbox. */
export function outboxMessageId(header: string | undefined): string | null {
  return header !== undefined && isUuid(header) ? header.toLowerCase() : null;
}

/**
 * The id under which a message that did not come from an outbox is dead-lettered: the same on each delivery, and unique. A UUID of
 * version 8, whose content RFC 9562 leaves open.
 */
export function derivedMessageId({ stream, sequence, storedAtNanos }: StreamPlace): string {
  const hash = createHash('sha256').update(`${stream} ${sequence} ${storedAtNanos}`).digest();
  hash[6] = 0x80 | ((hash[6] ?? 0) & 0x0f);
  hash[8] = 0x80 | ((hash[8] ?? 0) & 0x3f);
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}
