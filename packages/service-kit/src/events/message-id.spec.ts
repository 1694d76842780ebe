import { describe, expect, it } from '@jest/globals';
import { isUuid } from '@pinkas/contracts';
import { derivedMessageId, ownMessageId } from './message-id.js';

describe('the id of a message', () => {
  it('is the one that it bears, where that is one of ours', () => {
    expect(ownMessageId('3F2504E0-4F89-41D3-9A0C-0305E82C3301')).toBe('3f2504e0-4f89-41d3-9a0c-0305e82c3301');
  });

  it.each([undefined, '', '17', 'not-a-uuid'])('is none where it bears %p', (given) =>
    expect(ownMessageId(given)).toBeNull(),
  );

  it('is made of its place where it bears none: always the same, and no other message has it', () => {
    const place = { stream: 'EVT_ISSUING', sequence: 7, takenAtNanos: 1_700_000_000_000_000_000 };
    const id = derivedMessageId(place);
    expect(isUuid(id)).toBe(true);
    expect(id[14]).toBe('8');
    expect(derivedMessageId({ ...place })).toBe(id);
    const others = [
      { ...place, sequence: 8 },
      { ...place, stream: 'EVT_CUSTOMER' },
      { ...place, takenAtNanos: place.takenAtNanos + 1_000_000 },
    ];
    expect(new Set([id, ...others.map(derivedMessageId)]).size).toBe(4);
  });
});
