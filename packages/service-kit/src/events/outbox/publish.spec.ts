import { describe, expect, it } from '@jest/globals';
import type { documentIssued, EventOf } from '@pinkas/contracts';
import type { Transaction } from 'kysely';
import type { MessagingTables } from '../../db/messaging-tables.js';
import { EventValidators } from '../event-validators.js';
import { asOutboxTransaction, OutboxBuffer, publish } from './publish.js';

type Issued = typeof documentIssued;

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
