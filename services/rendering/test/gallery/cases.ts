import { type Business, type IssuedDocument } from '@pinkas/contracts';
import { documentTypes, testBookOf } from '@pinkas/domain';
import type { Sheet, SheetLogo } from '@pinkas/rendering';
import { sampleBusiness, sampleDocument } from '../sample-documents.js';

/** One document to look at, and to hold to its promises. */
export interface Case {
  /** Kebab-case: it names the files. */
  readonly name: string;
  readonly sheet: Sheet;
}

type Language = Business['language'];
type Line = IssuedDocument['items'][number];

const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 60" width="240" height="60"><rect width="60" height="60" rx="12" fill="#0b6e4f"/><path d="M14 42 30 14 46 42Z" fill="#fff"/><rect x="76" y="14" width="150" height="12" rx="6" fill="#0b6e4f"/><rect x="76" y="34" width="96" height="12" rx="6" fill="#8fc3ae"/></svg>`;

/** A picture that is no one's. */
export const sampleLogo: SheetLogo = {
  address: `data:image/svg+xml;base64,${Buffer.from(drawing).toString('base64')}`,
  width: 240,
  height: 60,
};

/** A text of words that are as long as they may be, in the middle of short ones. */
const longWord = `${'אבגדהוזחטי'.repeat(10)}${'Abcdefghij'.repeat(10)}`;
/** How the customers of a business pay. */
const howToPay = {
  he: {
    bank: 'הפועלים (12)',
    branch: '601',
    account: '12-345678',
    account_holder: 'עסק לדוגמה לעיצוב ותכנון',
    iban: 'IL620108000000099999999',
    link: 'https://pay.example.com/example-business',
  },
  en: { link: 'https://pay.example.com/example-business?amount=open&reference=invoice' },
} as const;

/** Every script that meets on Israeli documents, with digits and signs between them. */
export const mixedText = 'שירות Zoom (3 שעות) №7 – ₪1,200.50 · 50% خدمة عربية Сервис 🎉 👩‍💻 ✔';

/** The business of a sheet, in English with an English name. */
export function businessIn(language: Language, change: Partial<Business> = {}): Business {
  return sampleBusiness(
    language === 'he'
      ? { language, ...change }
      : { language, name: 'Example Ltd', address: '1 Example Street', city: 'Tel Aviv', ...change },
  );
}

/** What a document in English says in place of the Hebrew. */
function inEnglish(document: IssuedDocument): IssuedDocument {
  const [first, second] = document.items;
  return {
    ...document,
    title: 'Example project, spring 2026',
    notes: 'Thank you.\nQuestions: office@example.com',
    customer: {
      ...document.customer,
      name: 'Example Customer Ltd',
      address: '7 Sample Avenue',
      city: 'Haifa',
    },
    items: [
      ...(first ? [{ ...first, description: 'Logo and visual language' }] : []),
      ...(second ? [{ ...second, description: 'Consulting hours (Zoom)' }] : []),
    ],
  };
}

/** A sheet with the customary facts of its type. */
export function sheetIn(
  language: Language,
  type: IssuedDocument['type'],
  change: Partial<Omit<Sheet, 'document' | 'business'>> & {
    readonly document?: Partial<IssuedDocument>;
    readonly business?: Partial<Business>;
  } = {},
): Sheet {
  const { document, business: businessChange, ...shown } = change;
  const business = businessIn(language, businessChange);
  const sample = sampleDocument(type, business);
  return {
    document: { ...(language === 'he' ? sample : inEnglish(sample)), ...document },
    business,
    logo: null,
    allocationNumber: null,
    numberPending: false,
    cancelledAt: null,
    output: 'original',
    ...shown,
  };
}

const line = (description: string, change: Partial<Line> = {}): Line => ({
  description,
  quantity: 1,
  unit_price: 100,
  line_total: 100,
  sku: null,
  ...change,
});

/** So many lines that say which they are. */
export const lines = (count: number, change: Partial<Line> = {}): Line[] =>
  Array.from({ length: count }, (_, index) => line(`שירות לדוגמה ${index + 1}`, change));

/** As much as a document may hold: a hundred lines, each with a word of 200 letters. */
export const longLines = (): Line[] =>
  Array.from({ length: 100 }, (_, index) =>
    line(`${index + 1}·${longWord}`.slice(0, 200), {
      sku: `SKU-${String(index + 1).padStart(4, '0')}-${'X'.repeat(55)}`,
      quantity: 999_999.1234,
      unit_price: 99_999_999.99,
      line_total: 999_999_999_999.99,
    }),
  );

const exempt = { legal_type: 'osek_patur', vat_rate: 0 } as const;
const noVat = { subtotal: 2700, discount: 0, vat: 0, vat_rate: 0, total: 2700, currency: 'ILS' } as const;

/** Of lines of 2,700 with VAT, less 12.5 %. */
const grossTotals = {
  subtotal: 2288.14,
  discount: 286.02,
  vat: 360.38,
  vat_rate: 18,
  total: 2362.5,
  currency: 'ILS',
} as const;
const leastTotals = {
  subtotal: 100,
  discount: 0,
  vat: 18,
  vat_rate: 18,
  total: 118,
  currency: 'ILS',
} as const;
const third = { unit_price: 900, line_total: 900 } as const;

/** Every type in both languages, and what is rare, long, mixed or without much. */
export function galleryCases(): Case[] {
  const both = (name: string, sheet: (language: Language) => Sheet): Case[] =>
    (['he', 'en'] as const).map((language) => ({ name: `${name}-${language}`, sheet: sheet(language) }));
  return [
    ...documentTypes.flatMap((type) =>
      both(type.replaceAll('_', '-'), (language) =>
        sheetIn(language, type, type === 'tax_invoice' ? { allocationNumber: '123456789' } : {}),
      ),
    ),
    ...both('branded', (language) =>
      sheetIn(language, 'tax_invoice_receipt', {
        logo: sampleLogo,
        allocationNumber: '123456789',
        business: { accent_color: '#0b6e4f' },
        document: {
          prices_include_vat: true,
          discount: { type: 'percent', value: 12.5 },
          totals: grossTotals,
          payments: sampleDocument('tax_invoice_receipt', sampleBusiness())
            .payments.slice(0, 1)
            .map((payment) => ({ ...payment, amount: grossTotals.total })),
        },
      }),
    ),
    ...both('number-pending', (language) => sheetIn(language, 'tax_invoice', { numberPending: true })),
    ...both('cancelled', (language) =>
      sheetIn(language, 'proforma', {
        cancelledAt: '2026-03-09T22:30:00.000Z',
        cancelReason: language === 'he' ? 'הוזמן פעמיים' : 'Ordered twice',
        output: 'copy',
      }),
    ),
    ...both('test-book', (language) =>
      sheetIn(language, 'proforma', {
        business: { id: testBookOf(sampleBusiness().id) },
        document: { items: lines(60) },
        ...(language === 'en' && { cancelledAt: '2026-03-09T22:30:00.000Z', output: 'copy' }),
      }),
    ),
    ...both('paid', (language) =>
      sheetIn(language, 'tax_invoice', { standing: { status: 'closed', paid: 3009, credited: 0 } }),
    ),
    ...both('balance', (language) =>
      sheetIn(language, 'tax_invoice', { standing: { status: 'closed', paid: 1000, credited: 500 } }),
    ),
    ...both('withheld', (language) => sheetIn(language, 'receipt', { document: { withheld: 90.27 } })),
    ...both('without-prices', (language) =>
      sheetIn(language, 'delivery_note', { business: { delivery_notes_without_prices: true } }),
    ),
    ...both('how-to-pay', (language) =>
      sheetIn(language, 'tax_invoice', { business: { payment_instructions: howToPay[language] } }),
    ),
    ...both('valid-quote', (language) => sheetIn(language, 'quote', { business: { quote_valid_days: 30 } })),
    ...both('ten-lines', (language) =>
      sheetIn(language, 'tax_invoice', {
        allocationNumber: '123456789',
        document: { items: lines(10, { sku: 'LG-01', unit_price: 270, line_total: 270 }) },
      }),
    ),
    ...both('exempt-dealer', (language) =>
      sheetIn(language, 'receipt', { business: exempt, document: { totals: noVat } }),
    ),
    ...both('approved-institution', (language) =>
      sheetIn(language, 'donation_receipt', {
        business: {
          legal_type: 'amuta',
          vat_rate: 0,
          donation_approval: { number: '46-123', valid_until: '2026-12-31' },
        },
        document: { totals: noVat },
      }),
    ),
    ...both('mixed-scripts', (language) =>
      sheetIn(language, 'tax_invoice_receipt', {
        document: {
          title: mixedText,
          notes: `${mixedText}\nA line in English, with ${mixedText}\nשורה בעברית.`,
          items: [
            line(mixedText, third),
            line('משלוח (Express) 24h', { ...third, sku: 'א-7/b' }),
            line('Кириллица, עברית, العربية', third),
          ],
        },
        business: { name: 'עסק לדוגמה Example (2026)' },
      }),
    ),
    ...both('a-hundred-long-lines', (language) =>
      sheetIn(language, 'tax_invoice', { document: { items: longLines() } }),
    ),
    ...both('page-break', (language) =>
      sheetIn(language, 'tax_invoice_receipt', { document: { items: lines(27) } }),
    ),
    ...both('least', (language) =>
      sheetIn(language, 'quote', {
        business: { address: null, city: null, email: null, phone: null },
        document: { title: null, notes: null, discount: null, items: lines(1), totals: leastTotals },
      }),
    ),
  ];
}
