import { describe, expect, it } from '@jest/globals';
import { isUuid } from '@pinkas/contracts';
import { derivedMessageId, outboxMessageId } from './message-id.js';

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
