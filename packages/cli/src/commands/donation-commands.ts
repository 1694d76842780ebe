import {
  cancelDonation,
  type Donation,
  type DonationOutcome,
  listDocuments,
  listUnresolvedDonations,
  type ReplyOf,
  reportDonation,
  retryAllocation,
  showDonation,
} from '@pinkas/contracts';
import { allOf, pagesOf } from '@pinkas/exports/verify';
import { businessId, given, idFrom, type Kind, ofBusiness, year } from '../builder/arguments.js';
import { findBusiness } from '../builder/calls.js';
import type { Call, Command, Output } from '../builder/command.js';
import { columns, listed, table } from '../builder/table.js';
import { RefusalError, UsageError } from '../builder/usage-error.js';
import { callVerb, verb } from '../builder/verb.js';

const pageSize = 100;
const reasonMax = 200;
const missing = (id: string) =>
  `No donation of a document with the id ${id} is known to the allocation service: pinkas donation list shows those that need a person`;

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
  const { business } = await findBusiness(call, businessId);
  const found: LateDonation[] = [];
  const receipts = pagesOf(call, listDocuments, {
    ...{ business_id: businessId, type: 'donation_receipt', include_cancelled: false },
    ...{ from: `${year}-01-01`, to: `${year}-12-31`, limit: pageSize, before: null },
  });
  for await (const { documents } of receipts) {
    for (const { document, state } of documents) {
      if (state.donation?.status === 'not_required') {
        const { donation } = await call(reportDonation, { business, document_id: document.id });
        found.push({ document_id: document.id, document_number: document.number, donation });
      }
    }
  }
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

const reasonText: Kind<string> = {
  read: (text, name) => {
    const reason = text.trim();
    if (reason === '' || [...reason].length > reasonMax) {
      throw new UsageError(`--${name} takes 1 to ${reasonMax} characters`);
    }
    return reason;
  },
};

const DOCUMENT_ID = idFrom('donation list');

/** `pinkas donation …` */
export const donationCommands: readonly Command[] = [
  verb('donation list', {
    summary: 'lists the donations that the tax authority refused, or whose report was given up',
    options: { business: ofBusiness },
    run: async ({ business }, call) =>
      listed(
        await allOf(
          call,
          listUnresolvedDonations,
          { ...given({ business_id: business }), limit: pageSize },
          ({ donations }) => donations,
        ),
        {
          document: (donation) => donation.document_id,
          receipt: (donation) => String(donation.document_number),
          state: ({ state }) => state,
          since: (donation) => donation.decided_at,
          reason: ({ reason }) => reason ?? '',
        },
        'No donation needs a person',
      ),
  }),
  verb('donation show', {
    summary: 'shows the reports of a donation and every attempt to make them',
    arguments: { DOCUMENT_ID },
    run: async ({ DOCUMENT_ID: id }, call) => {
      const shown = await readDonation(call, id);
      if (shown.donation === null) {
        throw new RefusalError(missing(id));
      }
      const { donation, attempts } = shown;
      return { json: { ...donation, attempts_made: attempts }, text: shownText(shown) };
    },
  }),
  callVerb('donation retry', {
    summary: 'reports a donation now, or cancels its report, also after a refusal or after the last attempt',
    arguments: { DOCUMENT_ID },
    contract: retryAllocation,
    request: (values) => ({ document_id: values.DOCUMENT_ID }),
    missing: (values) => missing(values.DOCUMENT_ID),
    print: retried,
  }),
  verb('donation report', {
    summary:
      'reports the donations of a year whose receipts were issued before their institution was connected',
    options: {
      business: {
        value: 'ID',
        meaning: 'the institution, which is connected now',
        required: true,
        kind: businessId,
      },
      year: { value: 'Y', meaning: 'the year of the receipts', required: true, kind: year },
    },
    run: async (values, call) => {
      const donations = await reportYear(call, values.business, values.year);
      return { json: donations, text: lateText(donations) };
    },
  }),
  callVerb('donation cancel', {
    summary:
      'cancels the report of a donation: the receipt stays in the book, says so, and gives its donor no credit',
    arguments: { DOCUMENT_ID },
    options: {
      reason: { value: 'TEXT', meaning: 'why, which the donor reads', required: true, kind: reasonText },
    },
    contract: cancelDonation,
    request: ({ reason, ...values }) => ({ document_id: values.DOCUMENT_ID, reason }),
    missing: (values) => missing(values.DOCUMENT_ID),
    print: cancelled,
  }),
];
