import { createHash } from 'node:crypto';
import {
  errorCatalogue,
  isMaskedKey,
  maskedText,
  removedSecret,
  type ValidationError,
} from '@pinkas/contracts';
import type { ApiError } from '@pinkas/service-kit';
import { isSecretName, withoutSecrets } from './secrets.js';

/** The most bytes of a body that are kept, besides those that lead to its errors. */
const bodyBytesMax = 8_192;
/** The most bytes of a body with those; a larger one is not kept. */
const bodyBytesLimit = 4 * bodyBytesMax;
/** The longest text, and the longest name of a member, in UTF-16 code units. */
const textMax = 200;
const nameMax = 64;
/** What is read of a text: more than is shown of any. */
const readMax = 2_048;
const errorsMax = 20;
const cutText = '…';
/** The errors have a column, and an address of payments may have a token. */
const detailsElsewhere = ['errors', 'payment_url'];

type JsonObject = Readonly<Record<string, unknown>>;

/** What is stored of a refused request. */
interface KeptBody {
  readonly body: JsonObject | undefined;
  readonly isTruncated: boolean;
}

/** The errors that are kept of a request. */
export function keptErrors(errors: readonly ValidationError[]): Required<ValidationError>[] {
  return errors.slice(0, errorsMax).map(({ path, message, message_he }) => ({
    path: shortened(cleaned(path), 4 * textMax),
    message: shortened(cleaned(message), 2 * textMax),
    message_he: shortened(cleaned(message_he ?? message), 2 * textMax),
  }));
}

/** What the hint of an error refers to, as JSON: totals, dates and ids, by the catalogue; null: nothing. */
export function keptDetails({ code, details }: Pick<ApiError, 'code' | 'details'>): string | null {
  const known: readonly string[] = errorCatalogue[code].details;
  const kept = Object.entries(details ?? {}).filter(
    ([name]) => known.includes(name) && !detailsElsewhere.includes(name),
  );
  return kept.length === 0 ? null : JSON.stringify(Object.fromEntries(kept));
}

/**
 * A body without secrets and of a bounded size. What leads to an error is kept before anything else, and a list keeps the places of its
 * items, so that the pointers of errors lead to where they did.
 */
export function keptBody(body: object, errors: readonly ValidationError[]): KeptBody {
  const paths = new Set<string>();
  for (const { path } of errors.slice(0, errorsMax)) {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      paths.add(path.slice(0, end));
    }
  }
  const keeper = new Keeper(paths);
  const kept = keeper.keep(body, '') as JsonObject;
  return Buffer.byteLength(JSON.stringify(kept)) > bodyBytesLimit
    ? { body: undefined, isTruncated: true }
    : { body: kept, isTruncated: keeper.isTruncated };
}

class Keeper {
  isTruncated = false;
  #bytesLeft = bodyBytesMax;

  constructor(private readonly paths: ReadonlySet<string>) {}

  keep(value: unknown, pointer: string): unknown {
    if (typeof value === 'string') {
      return this.#count(this.#text(value, textMax));
    }
    if (typeof value !== 'object' || value === null) {
      return this.#count(
        typeof value === 'number' && withoutSecrets(String(value)) === removedSecret ? removedSecret : value,
      );
    }
    return Array.isArray(value) ? this.#list(value, pointer) : this.#object(value, pointer);
  }

  #list(items: readonly unknown[], pointer: string): unknown[] {
    const kept: unknown[] = [];
    let last = 0;
    for (const [n, item] of items.entries()) {
      const at = `${pointer}/${n}`;
      const isKept = this.#isKept(at);
      this.isTruncated ||= !isKept;
      kept.push(isKept ? this.keep(item, at) : cutText);
      last = isKept ? kept.length : last;
    }
    return kept.slice(0, last);
  }

  #object(value: object, pointer: string): object {
    const kept: [string, unknown][] = [];
    for (const [name, member] of Object.entries(value)) {
      const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (!this.#isKept(at)) {
        this.isTruncated = true;
        continue;
      }
      const shown = this.#text(name, nameMax);
      this.#count(shown);
      kept.push([shown, isSecretName(name) ? this.#count(removedSecret) : this.keep(member, at)]);
    }
    return Object.fromEntries(kept);
  }

  #isKept(pointer: string): boolean {
    return this.#bytesLeft > 0 || this.paths.has(pointer);
  }

  #text(text: string, max: number): string {
    const clean = cleaned(text);
    this.isTruncated ||= clean.length > max || text.length > readMax;
    return shortened(clean, max);
  }

  #count(value: unknown): unknown {
    this.#bytesLeft -= Buffer.byteLength(JSON.stringify(value)) + 1;
    return value;
  }
}

/** What may be shown of a text, without secrets: one that goes on behind it is found by how it begins. */
const cleaned = (text: string): string => withoutSecrets(text.slice(0, readMax));

const shortened = (text: string, max: number): string =>
  // Half of a surrogate pair at the end would be no text.
  text.length > max ? `${text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')}${cutText}` : text;

/** The members whose values are nothing about a person: what they may be is in the schema of the API. */
const openMembers = new Set([
  ...['type', 'date', 'due_date', 'based_on', 'prices_include_vat', 'expected_total', 'send', 'external_ref'],
  ...[
    'id',
    'legal_type',
    'identity_confirmed',
    'country',
    'quantity',
    'unit_price',
    'sku',
    'value',
    'method',
  ],
  ...['amount', 'check_date', 'bank_code', 'card_type'],
]);
/** What such a value looks like: a word, a number, a date or an id, and no address of a person. */
const openValue = /^[\w.:/+-]{0,64}$/;
const openName = /^[A-Za-z_][A-Za-z_-]{0,39}$/;

const keyMax = 128;
/**
 * An idempotency key as it is kept: what is secret or an address of email is masked, with a part of its hash, so that the attempts of one
 * key are found and those of another are not among them.
 */
export function keptKey(businessId: string, key: string): string {
  const clean = withoutSecrets(key);
  const shown = clean.includes('@') ? maskedText : clean;
  if (shown === key || isMaskedKey(key)) {
    return [...key].slice(0, keyMax).join('');
  }
  const mark = ` ${createHash('sha256').update(`${businessId}\n${key}`).digest('hex').slice(0, 8)}`;
  return [...shown].slice(0, keyMax - mark.length).join('') + mark;
}

/** A body with what may be personal masked. */
export function maskBody(body: JsonObject): Record<string, unknown> {
  const mask = (value: unknown, member: string): unknown => {
    if (Array.isArray(value)) {
      return value.map((item) => mask(item, member));
    }
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [maskName(name), mask(inner, name)]),
      );
    }
    const isOpen =
      value === null ||
      typeof value === 'boolean' ||
      value === cutText ||
      value === removedSecret ||
      (openMembers.has(member) && openValue.test(String(value)));
    return isOpen ? value : maskedText;
  };
  return mask(body, '') as Record<string, unknown>;
}

const maskName = (name: string): string =>
  openName.test(name) || name === removedSecret ? name : maskedText;

/** A JSON Pointer with the names that `maskBody` masks. */
export function maskPath(path: string): string {
  return path
    .split('/')
    .map((name) => (/^\d{0,6}$/.test(name) ? name : maskName(name)))
    .join('/');
}
