/** An Israeli identity, company or dealer number in its full nine digits. */
export function normaliseTaxId(taxId: string): string {
  return taxId.padStart(9, '0');
}

/** A register whose numbers have a prefix of their own. */
export type Registry = 'company' | 'cooperative' | 'amuta';

const registriesByPrefix: Readonly<Partial<Record<string, Registry>>> = {
  '51': 'company',
  '57': 'cooperative',
  '58': 'amuta',
};

/**
 * The register that gave a number, where its first two digits are certain: private companies, cooperative societies and amutot.
 * Null for any other number, a person's above all, which a dealer's may be as well.
 */
export function registryOf(taxId: string): Registry | null {
  return hasValidCheckDigit(taxId) ? (registriesByPrefix[normaliseTaxId(taxId).slice(0, 2)] ?? null) : null;
}

/**
 * Whether the check digit of an Israeli identity, company or dealer number is right: digits weighted 1,2,1,2,… from the
 * left of all nine, products above 9 less 9, the sum divisible by ten. All zeros are no number.
 */
export function hasValidCheckDigit(taxId: string): boolean {
  if (!/^\d{1,9}$/.test(taxId) || /^0+$/.test(taxId)) {
    return false;
  }
  let sum = 0;
  for (const [index, digit] of [...normaliseTaxId(taxId)].entries()) {
    const product = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += product > 9 ? product - 9 : product;
  }
  return sum % 10 === 0;
}
