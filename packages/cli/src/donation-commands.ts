import {
  cancelDonation,
  type Donation,
  type DonationOutcome,
  listDocuments,
  listUnresolvedDonations,
  type ReplyOf,
  reportDonation,
  retryAllocation,
  showBusiness,
  showDonation,
} from '@pinkas/contracts';
import { notFoundAs, readId } from './arguments.js';
import type { Call, Command, Output } from './command.js';
import { columns, table } from './table.js';
import { RefusalError, UsageError } from './usage-error.js';

const pageSize = 100;
const reasonMax = 200;
const missing = (id: string) =>
  `No donation of a document with the id ${id} is known to the allocation service: pinkas donation list shows those that need a person`;

async function listAll(call: Call, businessId: string | undefined): Promise<Donation[]> {
  const found: Donation[] = [];
  let before: ReplyOf<typeof listUnresolvedDonations>['next_before'] = null;
  do {
    const page: ReplyOf<typeof listUnresolvedDonations> = await call(listUnresolvedDonations, {
      ...(businessId !== undefined && { business_id: businessId }),
      ...(before !== null && { before }),
      limit: pageSize,
    });
    found.push(...page.donations);
    before = page.next_before;
  } while (before !== null);
  return found;
}

async function readDonation(call: Call, id: string): Promise<ReplyOf<typeof showDonation>> {
  const found = await call(showDonation, { document_id: id });
  const attempts = [...found.attempts];
  let next = found.next_after_attempt;
  while (next !== null) {
    const page = await call(showDonation, { document_id: id, after_attempt: next });
    attempts.push(...page.attempts);
    next = page.next_after_attempt;
  }
  return { ...found, attempts };
}

function shownText({ donation, attempts }: ReplyOf<typeof showDonation>): string {
  if (donation === null) {
    return '';
  }
  const { document_number, document_id, state, number, reason, reports, cancellation } = donation;
  const facts = [
    ['state', state],
    ...(number === null ? [] : [['number', number]]),
    ...(reason === null ? [] : [['reason', reason]]),
    ...(donation.next_attempt_at === null ? [] : [['next attempt', donation.next_attempt_at]]),
    ...(cancellation === null
      ? []
      : [['cancellation', `${cancellation.requested_at}, ${cancellation.reason}`]]),
  ];
  return [
    `donation_receipt ${document_number} (${document_id})`,
    columns(facts),
    table(
      ['report', 'means', 'tax year', 'amount', 'number', 'cancellation'],
      reports.map((report) => [
        String(report.index),
        report.means,
        String(report.tax_year),
        report.amount.toFixed(2),
        report.number ?? '–',
        report.cancellation_number ?? '–',
      ]),
    ),
    table(
      ['attempt', 'started', 'outcome', 'reason'],
      attempts.map(({ n, started_at, outcome, reason: why }) => [
        String(n),
        started_at,
        outcome ?? 'in flight',
        why ?? '',
      ]),
    ),
  ].join('\n\n');
}

function retried(reply: ReplyOf<typeof retryAllocation>): Output {
  const { outcome, number, reason, next_attempt_at: next, document_id: id } = reply;
  switch (outcome) {
    case 'issued':
      return {
        json: reply,
        text:
          number === null
            ? 'Nothing of the donation is reported any more'
            : `The donation is reported: ${number}; the next revision of the PDF has the number`,
      };
    case 'refused':
      return {
        json: reply,
        text: `Not done: ${reason}`,
        failure: `The tax authority refused: when the cause is corrected, run pinkas donation retry ${id}`,
      };
    case 'failed':
      return {
        json: reply,
        text: `Not done yet: ${reason}`,
        failure: next
          ? `It is retried at ${next}`
          : `It is not retried: correct the cause, then run pinkas donation retry ${id}`,
      };
    case 'not_retryable':
      return { json: reply, text: number === null ? `${reason}` : `The donation is reported: ${number}` };
  }
}

function cancelled(donation: Donation): Output {
  const { state, reason, next_attempt_at: next, document_id: id } = donation;
  if (state === 'cancelled') {
    return {
      json: donation,
      text: 'The report of the donation is cancelled: the next revision of the PDF and an email to the donor say so',
    };
  }
  return {
    json: donation,
    text: `The cancellation is recorded, and the tax authority has not taken it yet: ${reason ?? 'an attempt is in flight'}`,
    failure: next ? `It is retried at ${next}` : `It is not retried: run pinkas donation retry ${id}`,
  };
}

/** A receipt of a year whose donation was not reported when it was issued, and what has become of that now. */
interface LateDonation {
  readonly document_id: string;
  readonly document_number: number;
  readonly donation: DonationOutcome;
}

async function reportYear(call: Call, businessId: string, year: string): Promise<LateDonation[]> {
  const { business } = await notFoundAs(
    call(showBusiness, { business_id: businessId }),
    `No business has the id ${businessId}: pinkas business list shows them`,
  );
  const found: LateDonation[] = [];
  let before: ReplyOf<typeof listDocuments>['next_before'] = null;
  do {
    const page: ReplyOf<typeof listDocuments> = await call(listDocuments, {
      ...{ business_id: businessId, type: 'donation_receipt', include_cancelled: false },
      ...{ from: `${year}-01-01`, to: `${year}-12-31`, limit: pageSize, before },
    });
    for (const { document, state } of page.documents) {
      if (state.donation?.status === 'not_required') {
        const { donation } = await call(reportDonation, { business, document_id: document.id });
        found.push({ document_id: document.id, document_number: document.number, donation });
      }
    }
    before = page.next_before;
  } while (before !== null);
  return found;
}

function lateText(donations: readonly LateDonation[]): string {
  const unreported = donations.filter(({ donation }) => donation.status === 'not_required');
  const due = donations.length - unreported.length;
  return [
    `${due.toLocaleString('en-US')} donations are being reported: pinkas donation list shows those that need a person`,
    ...(unreported.length === 0
      ? []
      : [
          table(
            ['document', 'receipt', 'why it is not reported'],
            unreported.map((item) => [
              item.document_id,
              String(item.document_number),
              item.donation.reason ?? '',
            ]),
          ),
        ]),
  ].join('\n\n');
}

/** `pinkas donation …` */
export const donationCommands: readonly Command[] = [
  {
    noun: 'donation',
    verb: 'list',
    summary: 'lists the donations that the tax authority refused, or whose report was given up',
    arguments: [],
    options: { business: { value: 'ID', meaning: 'only those of this business' } },
    run: async ({ options }, call) => {
      const id = options.business === undefined ? undefined : readId(options.business, 'business list');
      const donations = await listAll(call, id);
      return {
        json: donations,
        text:
          donations.length === 0
            ? 'No donation needs a person'
            : table(
                ['document', 'receipt', 'state', 'since', 'reason'],
                donations.map((item) => [
                  item.document_id,
                  String(item.document_number),
                  item.state,
                  item.decided_at,
                  item.reason ?? '',
                ]),
              ),
      };
    },
  },
  {
    noun: 'donation',
    verb: 'show',
    summary: 'shows the reports of a donation and every attempt to make them',
    arguments: ['DOCUMENT_ID'],
    options: {},
    run: async ({ arguments: { DOCUMENT_ID } }, call) => {
      const id = readId(DOCUMENT_ID, 'donation list');
      const shown = await readDonation(call, id);
      if (shown.donation === null) {
        throw new RefusalError(missing(id));
      }
      const { donation, attempts } = shown;
      return { json: { ...donation, attempts_made: attempts }, text: shownText(shown) };
    },
  },
  {
    noun: 'donation',
    verb: 'retry',
    summary: 'reports a donation now, or cancels its report, also after a refusal or after the last attempt',
    arguments: ['DOCUMENT_ID'],
    options: {},
    run: async ({ arguments: { DOCUMENT_ID } }, call) => {
      const id = readId(DOCUMENT_ID, 'donation list');
      return retried(await notFoundAs(call(retryAllocation, { document_id: id }), missing(id)));
    },
  },
  {
    noun: 'donation',
    verb: 'report',
    summary:
      'reports the donations of a year whose receipts were issued before their institution was connected',
    arguments: [],
    options: {
      business: { value: 'ID', meaning: 'the institution, which is connected now', required: true },
      year: { value: 'Y', meaning: 'the year of the receipts', required: true },
    },
    run: async ({ options: { business, year = '' } }, call) => {
      if (!/^20\d\d$/.test(year)) {
        throw new UsageError(`--year takes a year such as 2026, not "${year}"`);
      }
      const donations = await reportYear(call, readId(business, 'business list'), year);
      return { json: donations, text: lateText(donations) };
    },
  },
  {
    noun: 'donation',
    verb: 'cancel',
    summary:
      'cancels the report of a donation: the receipt stays in the book, says so, and gives its donor no credit',
    arguments: ['DOCUMENT_ID'],
    options: { reason: { value: 'TEXT', meaning: 'why, which the donor reads', required: true } },
    run: async ({ arguments: { DOCUMENT_ID }, options }, call) => {
      const id = readId(DOCUMENT_ID, 'donation list');
      const reason = (options.reason ?? '').trim();
      if (reason === '' || [...reason].length > reasonMax) {
        throw new UsageError(`--reason takes 1 to ${reasonMax} characters`);
      }
      return cancelled(await notFoundAs(call(cancelDonation, { document_id: id, reason }), missing(id)));
    },
  },
];
