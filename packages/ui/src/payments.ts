import type { PaymentMethod } from '@pinkas/domain';
import { formatDate } from './figures.js';
import type { Language, Words } from './language.js';
import { html, isolate, join, leftToRight, type Markup } from './markup.js';

type Wallet = Extract<PaymentMethod, `wallet_method_${string}`>;

/** What identifies one payment, as its document has it. */
export interface PaymentDetails {
  readonly reference: string | null;
  readonly check_number: string | null;
  readonly check_date: string | null;
  readonly bank_code: number | null;
  readonly branch: string | null;
  readonly account: string | null;
  readonly card_last_digits: string | null;
  readonly card_type: string | null;
}

/** The means of payment that are no wallets; a wallet's name is a setting of the business. */
const methods: Readonly<Record<Exclude<PaymentMethod, Wallet>, Words>> = {
  cash: { he: 'מזומן', en: 'Cash' },
  check: { he: 'שיק', en: 'Check' },
  credit_card: { he: 'כרטיס אשראי', en: 'Credit card' },
  bank_transfer: { he: 'העברה בנקאית', en: 'Bank transfer' },
};

const words = {
  checkNumber: { he: 'מס׳', en: 'no.' },
  bank: { he: 'בנק', en: 'Bank' },
  branch: { he: 'סניף', en: 'Branch' },
  account: { he: 'חשבון', en: 'Account' },
  checkDate: { he: 'לפירעון', en: 'Due' },
  cardEnding: { he: 'מסתיים ב־', en: 'ending ' },
  reference: { he: 'אסמכתא', en: 'Reference' },
} as const satisfies Record<string, Words>;

const isWallet = (method: PaymentMethod): method is Wallet => method.startsWith('wallet_method_');

/** The name of a means of payment. */
export function paymentMethodName(
  method: PaymentMethod,
  walletLabels: Readonly<Record<Wallet, Words>>,
  language: Language,
): Markup {
  return isWallet(method)
    ? isolate(walletLabels[method][language], language)
    : html`${methods[method][language]}`;
}

/** One thing that identifies a payment; its words and its value stay on one line where they can. */
const detail = (content: Markup): Markup => html`<span class="detail">${content}</span>`;

/** What identifies a payment: for a check its number, bank, branch and due date (Bookkeeping Instructions, 5). */
export function paymentDetails(payment: PaymentDetails, language: Language): Markup {
  const named = (label: Words, value: string | number | null) =>
    value === null ? null : detail(html`${label[language]} ${isolate(String(value), language)}`);
  return join(
    [
      named(words.checkNumber, payment.check_number),
      named(words.bank, payment.bank_code),
      named(words.branch, payment.branch),
      named(words.account, payment.account),
      named(words.checkDate, payment.check_date && formatDate(payment.check_date, language)),
      payment.card_type ? detail(isolate(payment.card_type, language)) : null,
      payment.card_last_digits
        ? detail(html`${words.cardEnding[language]}${leftToRight(payment.card_last_digits)}`)
        : null,
      named(words.reference, payment.reference),
    ],
    ' · ',
  );
}
