import type { CreateDocument, CustomerCard } from '@pinkas/contracts';
import type { Refusal } from './refusal.js';

type CustomerInput = CreateDocument['customer'];

/** The customer that a request would be issued to. */
export interface ResolvedCustomer {
  /** Undefined for a card that the document would open. */
  id: string | undefined;
  name: string;
  tax_id: string | null;
}

const details = ['legal_type', 'email', 'phone', 'city'] as const;

/** What names are compared by. */
const folded = (name: string): string =>
  name.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toUpperCase().toLowerCase();

const nineDigits = (taxId: string): string => taxId.padStart(9, '0');

/** A text of white space only says nothing. */
const said = <T extends string>(value: T | undefined): T | null =>
  value === undefined || value.trim() === '' ? null : value;

/** The customer cards of one business, as the HTTP API says they behave. The oldest is first. */
export class CustomerCards {
  readonly #cards: CustomerCard[] = [];

  /** The ids of all cards. */
  get ids(): string[] {
    return this.#cards.map((card) => card.id);
  }

  /** The card that a request uses, or why it is refused. */
  resolve(input: CustomerInput): ResolvedCustomer | Refusal {
    const card = this.#used(input);
    if (input.id !== undefined && !card) {
      return { code: 'customer_not_found' };
    }
    if (input.tax_id !== undefined && input.identity_confirmed !== true) {
      const taxId = nineDigits(input.tax_id);
      const bearer = this.#cards.find((item) => item.tax_id === taxId);
      if (bearer && card?.tax_id !== taxId) {
        return { code: 'customer_identity_conflict', details: { existing_customer_id: bearer.id } };
      }
    }
    return {
      id: card?.id,
      name: input.id === undefined ? (input.name ?? '') : (card?.name ?? ''),
      tax_id: said(input.tax_id) ?? card?.tax_id ?? null,
    };
  }

  /** A document was issued: a new card is from now on, and empty fields of the card are filled. */
  record(input: CustomerInput, id: string): void {
    let card = this.#used(input);
    if (!card) {
      card = {
        id,
        name: (input.name ?? '').normalize('NFC').trim(),
        tax_id: null,
        legal_type: null,
        email: null,
        phone: null,
        city: null,
      };
      this.#cards.push(card);
    }
    card.tax_id ??= input.tax_id === undefined ? null : nineDigits(input.tax_id);
    for (const detail of details) {
      card[detail] ??= said<never>(input[detail] as never);
    }
  }

  /** What a search finds: names that contain the text, or the card with that tax id, by name. */
  search(q: string | undefined, limit: number): CustomerCard[] {
    const text = folded(q ?? '');
    const taxId = /^\d{1,9}$/.test(text) ? nineDigits(text) : undefined;
    return this.#cards
      .filter((card) => folded(card.name).includes(text) || (taxId !== undefined && card.tax_id === taxId))
      .sort((a, b) => (folded(a.name) < folded(b.name) ? -1 : 1))
      .slice(0, limit);
  }

  #used(input: CustomerInput): CustomerCard | undefined {
    if (input.id !== undefined) {
      const id = input.id.toLowerCase();
      return this.#cards.find((card) => card.id === id);
    }
    return this.#cards.find((card) => folded(card.name) === folded(input.name ?? ''));
  }
}
