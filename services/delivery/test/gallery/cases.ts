import type { Business, IssuedDocument } from '@pinkas/contracts';
import { exampleBusiness, exampleDocument } from '@pinkas/testkit/examples';
import type { DeliveryFacts } from '../../src/db/delivery.tables.js';
import type { EmailOccasion } from '../../src/mail/compose-email.js';
import { factsOf } from '../../src/plan/delivery-facts.js';

/** One email to look at. */
export interface Case {
  /** Kebab-case: it names the files. */
  readonly name: string;
  readonly facts: DeliveryFacts;
  readonly occasion: EmailOccasion;
}

type Language = Business['language'];
interface Change {
  readonly document?: Partial<IssuedDocument>;
  readonly business?: Partial<Business>;
  readonly occasion?: Partial<EmailOccasion>;
}

const without = { number: null, isPending: false };
const numbered = { number: '123456789', isPending: false };
const logo = { bytes: Buffer.alloc(0), width: 480, height: 120 };
const discounted = {
  discount: { type: 'percent', value: 10 },
  totals: { subtotal: 6000, discount: 600, vat: 972, vat_rate: 18, total: 6372, currency: 'ILS' },
} as const;

function caseIn(language: Language, name: string, change: Change): Case {
  const business = exampleBusiness({
    language,
    ...(language === 'en' && { name: 'Example Ltd' }),
    ...change.business,
  });
  const document = exampleDocument({ business_id: business.id, number: 1042, ...change.document });
  if (language === 'en') {
    document.customer.name = 'Example Customer Ltd';
  }
  return {
    name: `mail-${name}-${language}`,
    facts: factsOf({ document, business, artifact_sha256: 'ab'.repeat(32) }),
    occasion: { purpose: 'customer', allocation: without, isFollowUp: false, logo: null, ...change.occasion },
  };
}

/** Every kind of email in both languages. */
export function mailCases(): Case[] {
  const both = (name: string, change: Change) =>
    (['he', 'en'] as const).map((language) => caseIn(language, name, change));
  const accountant = 'accountant';
  return [
    ...both('tax-invoice', { document: discounted, occasion: { allocation: numbered } }),
    ...both('branded', {
      document: discounted,
      business: { accent_color: '#0b6e4f' },
      occasion: { allocation: numbered, logo },
    }),
    ...both('receipt', { document: { type: 'receipt', due_date: null } }),
    ...both('without-prices', {
      document: { type: 'delivery_note', due_date: null },
      business: { delivery_notes_without_prices: true },
    }),
    ...both('how-to-pay', {
      business: {
        payment_instructions: {
          bank: 'הפועלים (12)',
          branch: '601',
          account: '12-345678',
          link: 'https://pay.example.com/example-business',
        },
      },
    }),
    ...both('number-pending', { occasion: { allocation: { number: null, isPending: true } } }),
    ...both('follow-up', { occasion: { allocation: numbered, isFollowUp: true } }),
    ...both('accountant', { occasion: { purpose: accountant, allocation: numbered } }),
    ...both('accountant-follow-up', {
      occasion: { purpose: accountant, allocation: numbered, isFollowUp: true },
    }),
    ...both('mixed-scripts', {
      business: { name: 'עסק לדוגמה Example (2026) בע"מ' },
      document: { totals: { ...discounted.totals, total: 999_999_999_999.99 } },
    }),
  ];
}
