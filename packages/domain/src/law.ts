import type { BusinessLegalType, CustomerLegalType, DocumentType } from './document-types.js';
import { addDays } from './israel-calendar.js';

/** A value from a day on. */
interface Dated<Value> {
  /** YYYY-MM-DD, Asia/Jerusalem. */
  readonly from: string;
  readonly value: Value;
}

/** A rule of law or of the tax authority that has a value, or a layout. */
export interface LawRule<Value = unknown> {
  readonly name: { readonly he: string; readonly en: string };
  readonly unit?: 'ILS' | '%' | 'agorot' | 'days' | 'business days' | 'months' | 'years';
  /** Oldest first. */
  readonly values: readonly Dated<Value>[];
  /** The last day of a temporary order. */
  readonly until?: string;
  /** Whose business it is; absent: every business. */
  readonly concerns?: readonly BusinessLegalType[] | 'registered software';
  /** Laws, instructions and papers that have it. */
  readonly source: string;
  /** The day until which somebody reads the source again; a test fails from then on. */
  readonly reviewBy: string;
}

/** How a buyer's kind decides: whether a number is asked for, under the buyer's own VAT number. */
type AskedFor = 'asked' | 'not asked';

const rule = <Value>(parts: LawRule<Value>): LawRule<Value> => parts;

/** The rules that Pinkas applies or that its users have to know; docs/law.md is written from them. */
export const law = {
  allocationThreshold: rule<number>({
    name: {
      he: 'הסף שמעליו חשבונית צריכה מספר הקצאה, לפני מע"מ',
      en: 'the net amount above which an invoice needs an allocation number',
    },
    unit: 'ILS',
    values: [
      { from: '2024-05-05', value: 25_000 },
      { from: '2025-01-01', value: 20_000 },
      { from: '2026-01-01', value: 10_000 },
      { from: '2026-06-01', value: 5_000 },
    ],
    until: '2028-12-31',
    concerns: ['osek_murshe', 'hevra_baam'],
    source:
      "VAT law, section 47(a2), a temporary order; VAT instruction 01/2025; the tax authority's notices of 24 May and 31 December 2025",
    reviewBy: '2027-11-30',
  }),
  allocationDocuments: rule<Readonly<Partial<Record<DocumentType, number>>>>({
    name: {
      he: 'המסמכים שמקבלים מספר הקצאה',
      en: "the documents that get an allocation number, with the authority's code of each",
    },
    values: [{ from: '2024-05-05', value: { tax_invoice: 305, tax_invoice_receipt: 320, credit_note: 330 } }],
    until: '2028-12-31',
    concerns: ['osek_murshe', 'hevra_baam'],
    source:
      "table 2.5 of the tax authority's API description: 305 and 320 yes; 330 yes in v1.0 (August 2023), no in v2.0 (July 2024), so that an answer 'no number for this type' is none of a refusal",
    reviewBy: '2027-11-30',
  }),
  allocationBuyers: rule<Readonly<Record<CustomerLegalType, AskedFor>>>({
    name: {
      he: 'הלקוחות שעבורם מתבקש מספר הקצאה',
      en: 'the buyers for whom an allocation number is asked for: those who deduct VAT',
    },
    values: [
      {
        from: '2024-05-05',
        value: {
          osek_murshe: 'asked',
          hevra_baam: 'asked',
          // With taxable activity; an amuta without any may be entered as a private customer.
          amuta: 'asked',
          osek_patur: 'not asked',
          private: 'not asked',
        },
      },
    ],
    until: '2028-12-31',
    concerns: ['osek_murshe', 'hevra_baam'],
    source:
      "VAT law, sections 38 and 47(a2): the buyer is a licensed dealer who deducts input VAT; the tax authority's questions and answers on allocation numbers, 55",
    reviewBy: '2027-11-30',
  }),
  allocationLatest: rule<number>({
    name: {
      he: 'הזמן שבו אפשר לבקש מספר הקצאה אחרי תאריך המסמך',
      en: 'the time after the date of a document in which an allocation number can be asked for',
    },
    unit: 'months',
    values: [{ from: '2024-07-01', value: 12 }],
    concerns: ['osek_murshe', 'hevra_baam'],
    source: "the tax authority's API description v2.0 (July 2024), code 434",
    reviewBy: '2027-11-30',
  }),
  refusalHearing: rule<number>({
    name: {
      he: 'הזמן לבקש שימוע אחרי סירוב למספר הקצאה',
      en: 'the time to ask for a hearing after an allocation number was refused',
    },
    unit: 'business days',
    values: [{ from: '2024-01-01', value: 2 }],
    until: '2028-12-31',
    concerns: ['osek_murshe', 'hevra_baam'],
    source: 'VAT law, section 47(a2)(3)(b)',
    reviewBy: '2027-11-30',
  }),
  refusalObjection: rule<number>({
    name: {
      he: 'הזמן להשיג על סירוב למספר הקצאה',
      en: 'the time to object to the refusal of an allocation number',
    },
    unit: 'days',
    values: [{ from: '2024-01-01', value: 30 }],
    until: '2028-12-31',
    concerns: ['osek_murshe', 'hevra_baam'],
    source: 'VAT law, section 47(a4)',
    reviewBy: '2027-11-30',
  }),
  buyerId: rule<number>({
    name: {
      he: 'הסכום שמעליו חשבונית מס מציינת את מספר הקונה, לפני מע"מ',
      en: "the net amount above which a tax invoice has the buyer's number, except of a private person",
    },
    unit: 'ILS',
    values: [{ from: '2014-01-01', value: 5_000 }],
    concerns: ['osek_murshe', 'hevra_baam'],
    source: "VAT law, section 47(b)(1) and amendment 37; the tax authority's circular on PCN874, note A",
    reviewBy: '2027-11-30',
  }),
  vatRate: rule<number>({
    name: { he: 'שיעור המע"מ', en: 'the general rate of VAT' },
    unit: '%',
    values: [
      { from: '2013-06-02', value: 18 },
      { from: '2015-10-01', value: 17 },
      { from: '2025-01-01', value: 18 },
    ],
    concerns: ['osek_murshe', 'hevra_baam'],
    source: 'VAT law, section 2; order of the VAT rate',
    reviewBy: '2027-11-30',
  }),
  exemptCeiling: rule<number>({
    name: { he: 'תקרת המחזור של עוסק פטור', en: 'the turnover of a year up to which a dealer is exempt' },
    unit: 'ILS',
    values: [
      { from: '2022-01-01', value: 102_292 },
      { from: '2023-01-01', value: 107_692 },
      { from: '2024-01-01', value: 120_000 },
      { from: '2026-01-01', value: 122_833 },
    ],
    concerns: ['osek_patur'],
    source: 'VAT law, section 1, "exempt dealer"; updated by the index each January',
    reviewBy: '2027-01-31',
  }),
  invoiceDeadline: rule<number>({
    name: {
      he: 'הזמן להוציא חשבונית מס ממועד החיוב',
      en: 'the time after the tax point in which a tax invoice is issued',
    },
    unit: 'days',
    values: [{ from: '1976-07-01', value: 14 }],
    concerns: ['osek_murshe', 'hevra_baam'],
    source: 'VAT law, section 46',
    reviewBy: '2027-11-30',
  }),
  cashLimit: rule<number>({
    name: {
      he: 'סכום העסקה שמעליו עוסק מוגבל בתשלום ובתקבול במזומן',
      en: 'the amount of a transaction above which a business may receive or pay a tenth in cash at most',
    },
    unit: 'ILS',
    values: [
      { from: '2019-01-01', value: 11_000 },
      { from: '2022-08-01', value: 6_000 },
    ],
    source: 'Reduction of the Use of Cash Law, 2018, section 2 and first schedule',
    reviewBy: '2027-11-30',
  }),
  cashRounding: rule<number>({
    name: { he: 'עיגול של תשלום במזומן', en: 'the rounding of a sum that is paid in cash' },
    unit: 'agorot',
    values: [{ from: '2008-01-01', value: 10 }],
    source: 'Bank of Israel, removal of the coin of 5 agorot; prices and invoices stay exact',
    reviewBy: '2027-11-30',
  }),
  retention: rule<number>({
    name: {
      he: 'שמירת מסמכים מתום שנת המס',
      en: 'the keeping of documents after the end of the tax year, or six years after the return, whichever is later',
    },
    unit: 'years',
    values: [{ from: '2020-01-01', value: 7 }],
    source: 'Income Tax (Bookkeeping) Instructions, 1973, section 25, in the text of 1 January 2020',
    reviewBy: '2027-11-30',
  }),
  donationReport: rule<string>({
    name: { he: 'דיווח על תרומות לרשות המסים', en: 'the reporting of donations to the tax authority' },
    values: [{ from: '2026-01-01', value: 'every donation, from the first shekel' }],
    concerns: ['amuta', 'public_institution'],
    source: 'Income Tax Ordinance, section 46; Income Tax instruction 11/2025',
    reviewBy: '2027-11-30',
  }),
  vatDetail: rule<string>({
    name: { he: 'המבנה של הדיווח המפורט (PCN874)', en: 'the layout of the detailed VAT report (PCN874)' },
    values: [
      { from: '2010-01-01', value: 'records of 131, 60 and 10 characters' },
      { from: '2023-08-01', value: 'the last field of a record is the allocation number' },
    ],
    concerns: ['osek_murshe', 'hevra_baam'],
    source:
      "the tax authority's circular for software houses on PCN874 (2009); API description v1.0 (August 2023), chapter 6",
    reviewBy: '2027-11-30',
  }),
  uniformStructure: rule<string>({
    name: { he: 'המבנה האחיד', en: 'the uniform structure' },
    values: [{ from: '2009-05-01', value: '1.31' }],
    source: 'instructions for the uniform structure, edition 1.31 (1 May 2009)',
    reviewBy: '2027-11-30',
  }),
  uniformTransmission: rule<string>({
    name: {
      he: 'שידור המבנה האחיד לרשות המסים, חובה לתוכנה רשומה',
      en: 'the transmission of the uniform structure to the tax authority, by registered software',
    },
    values: [{ from: '2027-01-01', value: 'when the files are made' }],
    concerns: 'registered software',
    source: 'supplement 1 to the guide for software houses, edition 1.0 (March 2026)',
    reviewBy: '2027-11-30',
  }),
} as const;

/** The value of a rule on a day (YYYY-MM-DD, Asia/Jerusalem), or undefined before its first, and once a temporary order is over. */
export function lawOn<Value>(of: LawRule<Value>, day: string): Value | undefined {
  return of.until !== undefined && day > of.until
    ? undefined
    : of.values.findLast(({ from }) => from <= day)?.value;
}

/** A rule that changes: with its new value, or null where a temporary order ends. */
interface LawChange {
  readonly rule: LawRule;
  /** The first day of the change, YYYY-MM-DD. */
  readonly from: string;
  readonly value: unknown;
}

/** What changes after a day and within some days of it, the first change first. */
export function lawChanges(
  day: string,
  days: number,
  rules: readonly LawRule[] = Object.values<LawRule>(law),
): LawChange[] {
  const last = addDays(day, days);
  return rules
    .flatMap((each): LawChange[] => [
      ...each.values.map(({ from, value }) => ({ rule: each, from, value })),
      ...(each.until === undefined ? [] : [{ rule: each, from: addDays(each.until, 1), value: null }]),
    ])
    .filter(({ from }) => day < from && from <= last)
    .sort((one, other) => one.from.localeCompare(other.from));
}

/** A value of a rule as text. */
export function lawText({ unit }: Pick<LawRule, 'unit'>, value: unknown): string {
  if (typeof value === 'number') {
    const figure = value.toLocaleString('en-US');
    return unit === '%' ? `${figure}%` : `${figure} ${unit ?? ''}`.trim();
  }
  return typeof value === 'object' && value !== null
    ? Object.entries(value)
        .map(([name, of]) => `${name} ${of}`)
        .join(', ')
    : String(value);
}
