import { describe, expect, it } from '@jest/globals';
import { nextOutput } from './next-output.js';

const plain = { allocation_number: null, cancelled_at: null };
const numbered = { ...plain, allocation_number: '111111111' };
const cancelledAt = '2026-03-09T10:00:00.000Z';
const cancelled = { ...plain, cancelled_at: new Date(cancelledAt) };

describe('the next output of a document', () => {
  it('with a number is the original until one was delivered, and a copy from then on', () => {
    const news = { allocationNumber: '111111111' };
    const shown = { allocationNumber: '111111111', cancelledAt: null };
    expect(nextOutput(plain, false, news)).toEqual({ ...shown, output: 'original' });
    expect(nextOutput(plain, true, news)).toEqual({ ...shown, output: 'copy' });
  });

  it('is not made where there is nothing new', () => {
    for (const delivered of [false, true]) {
      expect(nextOutput(plain, delivered, { allocationNumber: null })).toBeNull();
      expect(nextOutput(numbered, delivered, { allocationNumber: '111111111' })).toBeNull();
      expect(nextOutput(numbered, delivered, { allocationNumber: null })).toBeNull();
      expect(nextOutput(cancelled, delivered, { cancelledAt })).toBeNull();
    }
  });

  it('of a cancelled document is a copy that says so, and a later instant changes nothing', () => {
    for (const delivered of [false, true]) {
      expect(nextOutput(plain, delivered, { cancelledAt })).toEqual({
        allocationNumber: null,
        cancelledAt,
        output: 'copy',
      });
    }
    expect(nextOutput(cancelled, false, { cancelledAt: '2026-04-01T00:00:00.000Z' })).toBeNull();
  });

  it('shows number and cancellation, whichever came first', () => {
    const both = { allocationNumber: '111111111', cancelledAt, output: 'copy' };
    expect(nextOutput(numbered, false, { cancelledAt })).toEqual(both);
    expect(nextOutput(cancelled, false, { allocationNumber: '111111111' })).toEqual(both);
  });
});
