import { removedSecret } from '@pinkas/contracts';

/** Keys of this system, secrets of webhooks, credentials of HTTP, web tokens, private keys. */
const secrets =
  /\bpk_(?:live|test)_\w*|\bwhsec_[\w+/=-]*|\bbearer\s+[\w.~+/=-]{8,}|\bbasic\s+[\w+/]{12,}=*|\beyJ[\w-]{8,}[\w.-]*|-----BEGIN [\s\S]*/gi;
/** What may be the number of a card, 14 to 19 digits, or is a UUID, whose digits are none. */
const cardNumbers = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?<!\d)(?:\d[ -]?){13,18}\d(?!\d)/gi;
/** The first digits that networks of cards have (ISO/IEC 7812); those of a date, as in the ids of orders, are others. */
const ofCards = /^(?:[3-6]\d{13,18}|2[2-7]\d{14})$/;
/** The name of a member, in words with underscores, whose value is a secret. */
const secretName =
  /(?:^|_)(?:password|passwd|pwd|pass|secret|token|api_?key|authorization|credentials?|cvv|cvc|pin|signature|card_number)(?:_|$)/;
const halfSurrogates = /\p{Surrogate}/gu;

/** A text without what must never be stored, whatever else it is, and without what no text of the database may have. */
export function withoutSecrets(text: string): string {
  return text
    .replaceAll(secrets, removedSecret)
    .replaceAll(cardNumbers, (found) => (isCardNumber(found) ? removedSecret : found))
    .replaceAll('\0', '�')
    .replaceAll(halfSurrogates, '�');
}

/** Whether the value of a member is a secret, by the name that the member has. */
export function isSecretName(name: string): boolean {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll(/[^A-Za-z0-9]+/g, '_');
  return secretName.test(words.toLowerCase());
}

const isCardNumber = (text: string): boolean => {
  const digits = text.replaceAll(/[ -]/g, '');
  return ofCards.test(digits) && hasCheckDigit(digits);
};

/** Luhn, ISO/IEC 7812-1. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    const weighed = place % 2 === 1 ? digit * 2 : digit;
    sum += weighed > 9 ? weighed - 9 : weighed;
  }
  return sum % 10 === 0;
}
