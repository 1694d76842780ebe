/** Payment apps and digital wallets; the name that each shows on a document is a setting of the business. */
export const walletMethods = [
  'wallet_method_1',
  'wallet_method_2',
  'wallet_method_3',
  'wallet_method_4',
  'wallet_method_5',
] as const;

/** What each of them is called until the business names it otherwise. */
export const defaultWalletLabels = {
  wallet_method_1: { he: 'ביט', en: 'Bit' },
  wallet_method_2: { he: 'פייבוקס', en: 'PayBox' },
  wallet_method_3: { he: 'פייפאל', en: 'PayPal' },
  wallet_method_4: { he: 'גוגל פיי', en: 'Google Pay' },
  wallet_method_5: { he: 'אפל פיי', en: 'Apple Pay' },
} as const satisfies Readonly<Record<(typeof walletMethods)[number], { he: string; en: string }>>;

/** The means of payment (API specification, 2.6). */
export const paymentMethods = ['cash', 'check', 'credit_card', 'bank_transfer', ...walletMethods] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

/** Whether a text names a means of payment. */
export function isPaymentMethod(value: unknown): value is PaymentMethod {
  return (paymentMethods as readonly unknown[]).includes(value);
}

/** The methods that each field of a payment belongs to, beside method, amount and date, which every payment has. */
export const methodsOfPaymentField = {
  reference: ['bank_transfer', ...walletMethods],
  check_number: ['check'],
  check_date: ['check'],
  bank_code: ['check'],
  branch: ['check'],
  account: ['check'],
  card_last_digits: ['credit_card'],
  card_type: ['credit_card'],
} as const satisfies Readonly<Record<string, readonly PaymentMethod[]>>;
export type PaymentField = keyof typeof methodsOfPaymentField;

/** The fields of a payment that do not belong to its method, among those that it has. */
export function misplacedPaymentFields(
  method: PaymentMethod,
  payment: Readonly<Record<string, unknown>>,
): PaymentField[] {
  return (Object.keys(methodsOfPaymentField) as PaymentField[]).filter((field) => {
    const methods: readonly PaymentMethod[] = methodsOfPaymentField[field];
    return payment[field] !== undefined && !methods.includes(method);
  });
}
