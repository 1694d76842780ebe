import type { Business, DocumentState, DonationOutcome, IssuedDocument } from '@pinkas/contracts';
import { decideDonation, donorOf } from '@pinkas/domain';
import { html, join, type Language, leftToRight, type Markup, type Words } from '@pinkas/ui';
import { reasonText } from '../frame/reason-words.js';

const texts = {
  report: { he: 'דיווח לרשות המסים', en: 'Report to the tax authority' },
  donor: { he: 'תורם', en: 'Donor' },
  foreign: { he: 'תושב חוץ', en: 'Foreign resident' },
  passport: { he: 'דרכון', en: 'passport' },
  anonymous: {
    he: 'בעילום שם, כי אין מספר זהות: התורם אינו מקבל זיכוי ממס',
    en: 'Anonymous, since there is no id: the donor gets no credit',
  },
} as const satisfies Record<string, Words>;

const statuses: Readonly<Record<DonationOutcome['status'], Words>> = {
  not_required: { he: 'לא מדווח', en: 'Not reported from here' },
  reported: { he: 'דווח', en: 'Reported' },
  pending: { he: 'בתהליך דיווח', en: 'Being reported' },
  failed: { he: 'לא דווח: הדיווח נכשל', en: 'Not reported: the report failed' },
  refused: { he: 'לא דווח: רשות המסים סירבה', en: 'Not reported: the tax authority refused' },
  cancelled: { he: 'דיווח בוטל', en: 'Report cancelled' },
};

/** What has become of the report of a donation, and who has donated; nothing of another type. */
export function donationFacts(
  document: IssuedDocument,
  { donation }: DocumentState,
  language: Language,
): [string, Markup | null][] {
  if (!donation) {
    return [[texts.donor[language], foreignDonor(document, language)]];
  }
  const parts = [
    html`${statuses[donation.status][language]}`,
    donation.number === null ? null : leftToRight(donation.number),
    donation.reason === null
      ? null
      : html`<span class="soft">${reasonText(donation.reason, language)}</span>`,
  ];
  return [
    [texts.report[language], join(parts, ' ')],
    [texts.donor[language], donorFact(document, donation, language)],
  ];
}

function donorFact(document: IssuedDocument, { status }: DonationOutcome, language: Language): Markup | null {
  const isAnonymous = status !== 'not_required' && donorOf(document).kind === 'anonymous';
  return isAnonymous ? html`${texts.anonymous[language]}` : foreignDonor(document, language);
}

function foreignDonor({ foreign_donor: foreign }: IssuedDocument, language: Language): Markup | null {
  const passport =
    foreign?.passport !== undefined && html`, ${texts.passport[language]} ${leftToRight(foreign.passport)}`;
  return foreign ? html`${texts.foreign[language]} ${leftToRight(foreign.country)}${passport}` : null;
}

/** Whether a donation that was not reported with its receipt may be reported now: its institution is connected since. */
export const canReportLate = (
  document: IssuedDocument,
  { donation }: DocumentState,
  book: Business,
): boolean => donation?.status === 'not_required' && decideDonation(document, book).required;

/** Whether an owner may still cancel the report of a donation. */
export const canCancelReport = ({ donation }: DocumentState): boolean =>
  donation !== undefined && donation.status !== 'not_required' && donation.status !== 'cancelled';
