import { removedSecret } from '@pinkas/contracts';
import { withoutCards } from './card-numbers.js';

/** Keys of this system, secrets of webhooks, credentials of HTTP, web tokens, private keys. */
const secrets =
  /\bpk_(?:live|test)_\w*|\bwhsec_[\w+/=-]*|\bbearer\s+[\w.~+/=-]{8,}|\bbasic\s+[\w+/]{12,}=*|\beyJ[\w-]{8,}[\w.-]*|-----BEGIN [\s\S]*/gi;
/** The name of a member, in words with underscores, whose value is a secret. */
const secretName =
  /(?:^|_)(?:password|passwd|pwd|pass|secret|token|api_?key|authorization|credentials?|cvv|cvc|pin|signature|card_number)(?:_|$)/;
const halfSurrogates = /\p{Surrogate}/gu;

/** A text without what must never be stored, whatever else it is, and without what no text of the database may have. */
export function withoutSecrets(text: string): string {
  return withoutCards(text.replaceAll(secrets, removedSecret), removedSecret)
    .replaceAll('\0', '�')
    .replaceAll(halfSurrogates, '�');
}

/** Whether the value of a member is a secret, by the name that the member has. */
export function isSecretName(name: string): boolean {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll(/[^A-Za-z0-9]+/g, '_');
  return secretName.test(words.toLowerCase());
}
