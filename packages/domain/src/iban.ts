/** The lengths of the countries whose accounts an Israeli business has (ISO 13616 registry); others have 15 to 34 characters. */
const lengths: Readonly<Record<string, number>> = { IL: 23, GB: 22, DE: 22, FR: 27 };

/** An IBAN as it is stored: without spaces and hyphens, in capitals. */
export const plainIban = (text: string): string => text.replaceAll(/[\s-]/g, '').toUpperCase();

/** Whether a plain text is an IBAN with its check digits (ISO 13616, ISO 7064 MOD 97-10). */
export function isIban(text: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text)) {
    return false;
  }
  const length = lengths[text.slice(0, 2)];
  if (length !== undefined && text.length !== length) {
    return false;
  }
  const digits = `${text.slice(4)}${text.slice(0, 4)}`.replaceAll(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  return BigInt(digits) % 97n === 1n;
}

/** An IBAN in groups of four, as paper has it. */
export const groupedIban = (iban: string): string => iban.replaceAll(/(.{4})(?=.)/g, '$1 ');
