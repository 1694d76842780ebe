import type { BusinessChange } from '@pinkas/contracts';

/**
 * The business of the demo, the tests and the measurements: a company with every detail that a document shows. Its tax id and its
 * customer's are numbers that the tax authority reserves for trials.
 */
export const demoBusiness = {
  name: 'עסק לדוגמה בע"מ',
  legal_type: 'hevra_baam',
  tax_id: '777777715',
  address: 'רחוב הדוגמה 1',
  city: 'תל אביב-יפו',
  email: 'business@example.com',
  phone: '03-0000000',
} as const satisfies BusinessChange;

export const demoCustomer = {
  name: 'לקוח לדוגמה',
  tax_id: '777777723',
  email: 'customer@example.com',
} as const;
