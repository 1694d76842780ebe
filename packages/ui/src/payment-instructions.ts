import { groupedIban } from '@pinkas/domain';
import type { Language, Words } from './language.js';

/** How the customers of a business pay, as its documents state it; see `PaymentInstructions` of the contracts. */
interface PaymentInstructionTexts {
  readonly bank?: string;
  readonly branch?: string;
  readonly account?: string;
  readonly account_holder?: string;
  readonly iban?: string;
  readonly link?: string;
}

/** What pages, papers and emails call them. */
export const paymentInstructionWords = {
  title: { he: 'איך משלמים', en: 'How to pay' },
  bank: { he: 'בנק', en: 'Bank' },
  branch: { he: 'סניף', en: 'Branch' },
  account: { he: 'מספר חשבון', en: 'Account no.' },
  account_holder: { he: 'שם בעל החשבון', en: 'Account holder' },
  iban: { he: 'IBAN', en: 'IBAN' },
  link: { he: 'תשלום מקוון', en: 'Pay online' },
  code: { he: 'קוד QR לתשלום מקוון', en: 'QR code for paying online' },
  scan: { he: 'סרקו לתשלום', en: 'Scan to pay' },
} as const satisfies Record<string, Words>;

/** The facts of a bank transfer, in the order in which a bank asks for them. */
export function bankFacts(
  given: PaymentInstructionTexts,
  language: Language,
): { readonly name: string; readonly value: string; readonly isFigures: boolean }[] {
  const order = ['bank', 'branch', 'account', 'account_holder', 'iban'] as const;
  return order.flatMap((member) => {
    const value = given[member];
    return value === undefined
      ? []
      : [
          {
            name: paymentInstructionWords[member][language],
            value: member === 'iban' ? groupedIban(value) : value,
            isFigures: member !== 'bank' && member !== 'account_holder',
          },
        ];
  });
}
