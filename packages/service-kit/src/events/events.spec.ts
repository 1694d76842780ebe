import { describe, expect, it } from '@jest/globals';
import { type EventOf, isUuid, type messageDue } from '@pinkas/contracts';
import { type Transaction } from 'kysely';
import pg from 'pg';
import { ApiError } from '../process/api-error.js';
import { EventValidators } from './event-validators.js';
import { reasonOf, storable } from './inbox/dead-letter-reason.js';
import { derivedMessageId, outboxMessageId } from './inbox/message-id.js';
import { type MessagingTables } from './messaging.tables.js';
import { asOutboxTransaction, OutboxBuffer, publish } from './outbox/publish.js';

const databaseError = (code: string, message: string) =>
  Object.assign(new pg.DatabaseError(message, 7, 'error'), { code });
type Issued = typeof messageDue;

describe('reasonOf', () => {
  it.each([
    ['an error', new Error('the renderer is unavailable'), 'the renderer is unavailable'],
    ['a thrown text', 'thrown text', 'thrown text'],
    ['an ApiError', new ApiError('not_found'), 'not_found'],
    [
      'an ApiError with its cause',
      new ApiError('engine_error', { cause: new Error('rpc.rendering.artifact.render.v1 has no responder') }),
      'engine_error: rpc.rendering.artifact.render.v1 has no responder',
    ],
    ['a violated constraint', databaseError('23505', 'duplicate key'), 'duplicate key'],
  ])('reasonOf describes %s', (_what, error, reason) => expect(reasonOf(error)).toBe(reason));

  it('reasonOf does not contain a value that PostgreSQL quotes', () => {
    const quoted = databaseError('22P02', 'invalid input syntax for type integer: "customer@example.com"');
    expect(reasonOf(quoted)).toBe('the database rejected a value (22P02)');
    expect(reasonOf(new ApiError('internal_error', { cause: quoted }))).not.toContain('customer');
  });

  it('reasonOf returns a text that PostgreSQL can store', () => {
    expect(reasonOf(new Error('a\0b'))).toBe('a\uFFFDb');
    expect(storable('\0')).toBe('\uFFFD');
    expect(reasonOf(new Error('x'.repeat(5_000)))).toHaveLength(1_000);
  });
});

describe('message ids', () => {
  it('outboxMessageId returns a UUID in lower case', () => {
    expect(outboxMessageId('3F2504E0-4F89-41D3-9A0C-0305E82C3301')).toBe(
      '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    );
  });

  it.each([undefined, '', '17', 'not-a-uuid'])('outboxMessageId returns null for %p', (given) =>
    expect(outboxMessageId(given)).toBeNull(),
  );

  it('derivedMessageId returns one UUID for each place in a stream', () => {
    const place = { stream: 'EVT_ISSUING', sequence: 7, storedAtNanos: 1_700_000_000_000_000_000 };
    const id = derivedMessageId(place);
    expect(isUuid(id)).toBe(true);
    expect(id[14]).toBe('8');
    expect(derivedMessageId({ ...place })).toBe(id);
    const others = [
      { ...place, sequence: 8 },
      { ...place, stream: 'EVT_CUSTOMER' },
      { ...place, storedAtNanos: place.storedAtNanos + 1_000_000 },
    ];
    expect(new Set([id, ...others.map(derivedMessageId)]).size).toBe(4);
  });
});

describe('publish', () => {
  it('publishing in a plain transaction does not compile', () => {
    const attempt = (trx: Transaction<MessagingTables>, event: Issued, body: EventOf<Issued>) =>
      // @ts-expect-error Only OutboxRelay.transaction makes a transaction that publishes.
      publish(trx, event, 'id', body);
    expect(attempt).toBeInstanceOf(Function);
  });

  it('an outbox transaction is the transaction that it was made of', () => {
    const trx = {} as Transaction<MessagingTables>;
    expect(asOutboxTransaction(trx, new OutboxBuffer(new EventValidators()))).toBe(trx);
  });
});
