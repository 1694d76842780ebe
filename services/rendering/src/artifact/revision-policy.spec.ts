import { describe, expect, it } from '@jest/globals';
import { nextRevision } from './revision-policy.js';

const plain = { allocation_number: null, number_pending: false, cancelled_at: null, cancel_reason: null };
const pending = { ...plain, number_pending: true };
const numbered = { ...plain, allocation_number: '111111111' };
const cancelledAt = '2026-03-09T10:00:00.000Z';
const cancelled = { ...plain, cancelled_at: new Date(cancelledAt) };

describe('nextRevision', () => {
  it('a revision with a number is the original until one is released, and a copy afterwards', () => {
    const news = { allocationNumber: '111111111' };
    const shown = {
      allocationNumber: '111111111',
      numberPending: false,
      cancelledAt: null,
      cancelReason: null,
    };
    expect(nextRevision(plain, false, news)).toEqual({ ...shown, output: 'original' });
    expect(nextRevision(plain, true, news)).toEqual({ ...shown, output: 'copy' });
  });

  it('no revision is made when nothing changed', () => {
    for (const delivered of [false, true]) {
      expect(nextRevision(plain, delivered, { allocationNumber: null })).toBeNull();
      expect(nextRevision(numbered, delivered, { allocationNumber: '111111111' })).toBeNull();
      expect(nextRevision(numbered, delivered, { allocationNumber: null })).toBeNull();
      expect(nextRevision(cancelled, delivered, { cancelledAt })).toBeNull();
    }
  });

  it('a revision of a cancelled document is a copy that says so, and a later instant changes nothing', () => {
    for (const delivered of [false, true]) {
      expect(nextRevision(plain, delivered, { cancelledAt })).toEqual({
        allocationNumber: null,
        numberPending: false,
        cancelledAt,
        cancelReason: null,
        output: 'copy',
      });
    }
    expect(nextRevision(cancelled, false, { cancelledAt: '2026-04-01T00:00:00.000Z' })).toBeNull();
  });

  it('a revision states that the number is being obtained until the number, or the end of the attempts, is known', () => {
    const change = { allocationNumber: null, numberPending: true };
    const shown = { allocationNumber: null, numberPending: false, cancelledAt: null, cancelReason: null };
    expect(nextRevision(pending, false, change)).toBeNull();
    expect(nextRevision(pending, false, { ...change, numberPending: false })).toEqual({
      ...shown,
      output: 'original',
    });
    expect(nextRevision(pending, true, { ...change, numberPending: false })).toEqual({
      ...shown,
      output: 'copy',
    });
    expect(nextRevision(pending, false, { allocationNumber: '111111111' })).toEqual({
      ...shown,
      allocationNumber: '111111111',
      output: 'original',
    });
    expect(nextRevision(pending, false, { cancelledAt })).toMatchObject({ numberPending: true, cancelledAt });
    // Events may come in any order.
    expect(nextRevision(plain, false, change)).toBeNull();
    expect(nextRevision(numbered, false, change)).toBeNull();
  });

  it('a revision whose report is cancelled is a copy that says so, keeps its number, and is followed by none that does not', () => {
    const change = { reportCancelled: true };
    const shown = { allocationNumber: '111111111', numberPending: false, reportCancelled: true };
    expect(nextRevision(numbered, false, change)).toMatchObject({ ...shown, output: 'copy' });
    const marked = { ...numbered, report_cancelled: true };
    expect(nextRevision(marked, false, change)).toBeNull();
    expect(nextRevision(marked, false, { allocationNumber: '111111111' })).toBeNull();
    expect(nextRevision(marked, true, { cancelledAt })).toMatchObject({ ...shown, cancelledAt });
  });

  it('a revision shows the number and the cancellation with its reason, whichever came first', () => {
    const cancelReason = 'הוזמן פעמיים';
    const both = {
      allocationNumber: '111111111',
      numberPending: false,
      cancelledAt,
      cancelReason,
      output: 'copy',
    };
    expect(nextRevision(numbered, false, { cancelledAt, cancelReason })).toEqual(both);
    const withReason = { ...cancelled, cancel_reason: cancelReason };
    expect(nextRevision(withReason, false, { allocationNumber: '111111111' })).toEqual(both);
  });
});
