import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  cancelDonation,
  type Donation,
  listDocuments,
  listUnresolvedDonations,
  reportDonation,
  retryAllocation,
  showBusiness,
  showDonation,
} from '@pinkas/contracts';
import { notFound, run } from '../../test/run.js';

const id = randomUUID();
const donation: Donation = {
  document_id: id,
  business_id: randomUUID(),
  document_number: 7,
  state: 'refused',
  number: null,
  reason: 'refused: 460 no',
  refusal_codes: ['460'],
  attempts: 1,
  next_attempt_at: null,
  decided_at: '2026-03-01T08:00:00.000Z',
  cancellation: null,
  reports: [
    { index: 1, means: 'cash', tax_year: 2026, amount: 180, number: '4051', cancellation_number: null },
    { index: 2, means: 'check', tax_year: 2027, amount: 20.5, number: null, cancellation_number: null },
  ],
};

describe('pinkas donation', () => {
  it('report makes the donations of a year due that were not reported with their receipts, page by page', async () => {
    const business = { id: donation.business_id };
    const receipt = (number: number, status: string) => ({
      document: { id: randomUUID(), number },
      state: { donation: { status, number: null, reason: null } },
    });
    const documents = [receipt(3, 'not_required'), receipt(2, 'reported'), receipt(1, 'not_required')];
    const next = { position: 2, id };
    const pages = [
      { documents: documents.slice(0, 2), next_before: next },
      { documents: documents.slice(2), next_before: null },
    ];
    const answers = [
      { donation: { status: 'pending', number: null, reason: 'It goes on.' } },
      { donation: { status: 'not_required', number: null, reason: 'It was not approved.' } },
    ];
    const { output, requests } = run(
      'donation report',
      { business: business.id, year: '2026' },
      {
        [showBusiness.subject]: () => ({ business }),
        [listDocuments.subject]: () => pages.shift(),
        [reportDonation.subject]: () => answers.shift(),
      },
    );
    const { text, json } = await output;
    expect(text).toMatch(/^1 donations are being reported.*It was not approved\.$/s);
    expect(json).toHaveLength(2);
    const query = {
      business_id: business.id,
      type: 'donation_receipt',
      from: '2026-01-01',
      to: '2026-12-31',
    };
    expect(requests.map(([, request]) => request)).toMatchObject([
      { business_id: business.id },
      { ...query, before: null },
      { business, document_id: documents[0]?.document.id },
      { ...query, before: next },
      { business, document_id: documents[2]?.document.id },
    ]);
  });

  it('report refuses what is no year', async () => {
    const { output } = run('donation report', { business: donation.business_id, year: '26' });
    await expect(output).rejects.toThrow('--year takes a year');
  });

  it('list reads every page of what needs a person', async () => {
    const next = { decided_at: donation.decided_at, document_id: id };
    const pages = [
      { donations: [donation], next_before: next },
      { donations: [{ ...donation, document_number: 6 }], next_before: null },
    ];
    const { output, requests } = run(
      'donation list',
      {},
      { [listUnresolvedDonations.subject]: () => pages.shift() },
    );
    expect((await output).text).toContain('refused: 460 no');
    expect(requests.map(([, request]) => request)).toEqual([{ limit: 100 }, { limit: 100, before: next }]);
    const none = run('donation list', {}, () => ({ donations: [], next_before: null }));
    expect((await none.output).text).toBe('No donation needs a person');
  });

  it('show prints the reports and the attempts of a donation', async () => {
    const attempts = [
      {
        n: 1,
        started_at: donation.decided_at,
        ended_at: donation.decided_at,
        outcome: 'refused',
        number: null,
        reason: '460 no',
        refusal_codes: ['460'],
      },
    ];
    const reply = { donation, attempts, next_after_attempt: null };
    const { text } = await run('donation show', { DOCUMENT_ID: id }, { [showDonation.subject]: () => reply })
      .output;
    expect(text).toContain('donation_receipt 7');
    expect(text).toMatch(/2\s+check\s+2027\s+20\.50\s+–\s+–/);
    expect(text).toContain('460 no');
    const none = { donation: null, attempts: [], next_after_attempt: null };
    await expect(
      run('donation show', { DOCUMENT_ID: id }, { [showDonation.subject]: () => none }).output,
    ).rejects.toThrow('No donation of');
  });

  it.each([
    [
      { outcome: 'issued', number: '4051', reason: null, next_attempt_at: null },
      'is reported: 4051',
      undefined,
    ],
    [
      { outcome: 'refused', number: null, reason: 'no', next_attempt_at: null },
      'Not done: no',
      'pinkas donation retry',
    ],
    [
      { outcome: 'failed', number: null, reason: 'away', next_attempt_at: '2026-03-01T09:00:00Z' },
      'Not done yet: away',
      'retried at 2026-03-01T09:00:00Z',
    ],
    [
      { outcome: 'not_retryable', number: null, reason: 'It is cancelled.', next_attempt_at: null },
      'It is cancelled.',
      undefined,
    ],
  ])('retry prints the outcome %p', async (reply, text, failure) => {
    const full = { business_id: id, document_id: id, refusal_codes: [], ...reply };
    const output = await run('donation retry', { DOCUMENT_ID: id }, { [retryAllocation.subject]: () => full })
      .output;
    expect(output.text).toContain(text);
    if (failure === undefined) {
      expect(output.failure).toBeUndefined();
    } else {
      expect(output.failure).toContain(failure);
    }
  });

  it('cancel needs a reason, and says what becomes of the receipt', async () => {
    await expect(run('donation cancel', { DOCUMENT_ID: id, reason: ' ' }).output).rejects.toThrow('--reason');
    const reason = 'התרומה הוחזרה';
    const words = { DOCUMENT_ID: id, reason };
    const done = run('donation cancel', words, {
      [cancelDonation.subject]: () => ({ ...donation, state: 'cancelled' }),
    });
    expect((await done.output).text).toContain('is cancelled');
    expect(done.requests).toEqual([[cancelDonation.subject, { document_id: id, reason }]]);
    const waiting = run('donation cancel', words, {
      [cancelDonation.subject]: () => ({ ...donation, state: 'pending', next_attempt_at: 'soon' }),
    });
    expect((await waiting.output).failure).toContain('retried at soon');
    const unknown = run('donation cancel', words, notFound);
    await expect(unknown.output).rejects.toThrow('No donation of');
  });
});
