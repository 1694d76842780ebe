/*
 * The money of the week, computed apart from the product: with arithmetic of its own, from what is typed alone.
 */

/** Hundredths of a shekel. */
export type Agorot = bigint;

export interface Line {
  readonly quantity: bigint;
  readonly price: Agorot;
}

export interface Sums {
  readonly net: Agorot;
  readonly vat: Agorot;
  readonly total: Agorot;
}

const vatPercent = 18n;

/** A quotient, half away from zero. */
function divided(value: bigint, by: bigint): bigint {
  const isNegative = value < 0n;
  const size = isNegative ? -value : value;
  const rounded = (size * 2n + by) / (by * 2n);
  return isNegative ? -rounded : rounded;
}

/** Lines before VAT, with a discount in percent of all of them. */
export function ofNet(lines: readonly Line[], discountPercent = 0n): Sums {
  const subtotal = lines.reduce((sum, { quantity, price }) => sum + quantity * price, 0n);
  const net = subtotal - divided(subtotal * discountPercent, 100n);
  const vat = divided(net * vatPercent, 100n);
  return { net, vat, total: net + vat };
}

/** An amount that has its VAT in it. */
export function ofGross(total: Agorot): Sums {
  const vat = divided(total * vatPercent, 100n + vatPercent);
  return { net: total - vat, vat, total };
}

/** `1,234.50`, as every page writes it. */
export function shown(amount: Agorot): string {
  const size = amount < 0n ? -amount : amount;
  const shekels = String(size / 100n).replace(/\B(?=(\d{3})+$)/g, ',');
  return `${amount < 0n ? '-' : ''}${shekels}.${String(size % 100n).padStart(2, '0')}`;
}

/** `1234.50`, as a person types it and a table for a spreadsheet has it. */
export const typed = (amount: Agorot): string => shown(amount).replaceAll(',', '');

/** The inverse of it; a figure that is empty is nothing. */
export const read = (text: string): Agorot => BigInt(text.replace('.', '').trim() || '0');

/** Whose documents they are: who buys every week, and who bought once. */
export type Party = 'regular' | 'occasional';
type Kind = 'invoice' | 'credit' | 'receipt';

interface Entry extends Sums {
  readonly kind: Kind;
  readonly party: Party;
  readonly isOfLastMonth: boolean;
}

/** Complete shekels, as a detailed VAT report rounds each of its rows. */
const rounded = (amount: Agorot): bigint => divided(amount, 100n);

/** What was issued so far, and what it comes to. */
export class Ledger {
  readonly #entries: Entry[] = [];
  readonly #balances = new Map<string, { party: Party; asked: Agorot; left: Agorot; isLate: boolean }>();
  readonly #onAccount = new Map<Party, Agorot>();

  /** An invoice, by the id of its document. One of last month is late. */
  invoice(party: Party, id: string, sums: Sums, isOfLastMonth = false): void {
    this.#entries.push({ kind: 'invoice', party, isOfLastMonth, ...sums });
    this.#balances.set(id, { party, asked: sums.total, left: sums.total, isLate: isOfLastMonth });
  }

  /** A credit note for a part of an invoice. */
  credit(party: Party, id: string, sums: Sums): void {
    this.#entries.push({ kind: 'credit', party, isOfLastMonth: false, ...sums });
    this.settle(id, sums.total);
  }

  /** What was received: for invoices, and what is beyond them on account. */
  receipt(party: Party, total: Agorot, paid: readonly (readonly [string, Agorot])[]): void {
    this.#entries.push({ kind: 'receipt', party, isOfLastMonth: false, net: total, vat: 0n, total });
    let rest = total;
    for (const [id, amount] of paid) {
      this.settle(id, amount);
      rest -= amount;
    }
    this.#addOnAccount(party, rest);
  }

  /** Money on account is set against an invoice. */
  setOff(party: Party, id: string, amount: Agorot): void {
    this.settle(id, amount);
    this.#addOnAccount(party, -amount);
  }

  settle(id: string, amount: Agorot): void {
    const balance = this.#balances.get(id);
    if (balance) {
      balance.left -= amount;
    }
  }

  #addOnAccount(party: Party, amount: Agorot): void {
    this.#onAccount.set(party, this.onAccount(party) + amount);
  }

  onAccount(party: Party): Agorot {
    return this.#onAccount.get(party) ?? 0n;
  }

  /** What an invoice comes to. */
  asked(id: string): Agorot {
    return this.#balances.get(id)?.asked ?? 0n;
  }

  /** What is left of it to pay. */
  left(id: string): Agorot {
    return this.#balances.get(id)?.left ?? 0n;
  }

  /** What is left to pay of all. */
  due(party?: Party): Agorot {
    return this.#sumOfBalances((balance) => party === undefined || balance.party === party);
  }

  late(): Agorot {
    return this.#sumOfBalances(({ isLate }) => isLate);
  }

  #sumOfBalances(isCounted: (balance: { party: Party; isLate: boolean }) => boolean): Agorot {
    return [...this.#balances.values()].filter(isCounted).reduce((sum, { left }) => sum + left, 0n);
  }

  /** Invoices less credit notes of a month. */
  sales(isOfLastMonth: boolean): Sums {
    const signed = this.#entries
      .filter((entry) => entry.isOfLastMonth === isOfLastMonth && entry.kind !== 'receipt')
      .map(({ kind, net, vat, total }) => ({ sign: kind === 'credit' ? -1n : 1n, net, vat, total }));
    return {
      net: signed.reduce((sum, { sign, net }) => sum + sign * net, 0n),
      vat: signed.reduce((sum, { sign, vat }) => sum + sign * vat, 0n),
      total: signed.reduce((sum, { sign, total }) => sum + sign * total, 0n),
    };
  }

  received(): Agorot {
    return this.#sumOf(['receipt']);
  }

  /** The account of a customer: what was asked for, what came in or was credited, and what that leaves. */
  account(party: Party): { debit: Agorot; credit: Agorot; closing: Agorot } {
    const debit = this.#sumOf(['invoice'], party);
    const credit = this.#sumOf(['receipt', 'credit'], party);
    return { debit, credit, closing: debit - credit };
  }

  #sumOf(kinds: readonly Kind[], party?: Party): Agorot {
    return this.#entries
      .filter((entry) => kinds.includes(entry.kind) && (party === undefined || entry.party === party))
      .reduce((sum, { total }) => sum + total, 0n);
  }

  /** Of the detailed VAT report of this month, in complete shekels: the sums of rows that are rounded one by one. */
  detailed(): { taxable: bigint; vat: bigint } {
    const rows = this.#entries.filter(({ kind, isOfLastMonth }) => kind !== 'receipt' && !isOfLastMonth);
    const sum = (value: (row: Entry) => bigint) =>
      rows.reduce((total, row) => total + (row.kind === 'credit' ? -1n : 1n) * rounded(value(row)), 0n);
    return { taxable: sum(({ net }) => net), vat: sum(({ vat }) => vat) };
  }
}
