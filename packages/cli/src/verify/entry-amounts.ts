import { type BookEntry, documentTypeRules, type IssuedDocument } from '@pinkas/contracts';
import { type Agorot, computeTotals, formatShekels, fromShekels, sum, withinOneAgora } from '@pinkas/money';
import { type Fault, faultOf } from './checks.js';

/** Calculates the totals of a document anew from its items, and holds them against those that were stored. */
export function faultsOfTotals({ document }: Pick<BookEntry, 'document'>): Fault[] {
  const fault = (message: string) => faultOf('totals', document, message);
  try {
    const { totals, items } = document;
    const computed = computeTotals({
      vatRate: totals.vat_rate,
      pricesIncludeVat: document.prices_include_vat,
      items: items.map((item) => ({ quantity: item.quantity, unitPrice: item.unit_price })),
      discount: document.discount,
    });
    const amounts: [string, number, Agorot][] = [
      ['subtotal', totals.subtotal, computed.subtotal],
      ['discount', totals.discount, computed.discount],
      ['vat', totals.vat, computed.vat],
      ['total', totals.total, computed.total],
      ...items.map((item, index): [string, number, Agorot] => [
        `line ${index + 1}`,
        item.line_total,
        computed.lineTotals[index] ?? 0n,
      ]),
    ];
    return amounts.flatMap(([name, stored, amount]) =>
      fromShekels(stored) === amount
        ? []
        : fault(`its ${name} is ${stored.toFixed(2)}, and its items come to ${formatShekels(amount)}`),
    );
  } catch {
    // Items that issuing would have refused: no totals follow from them.
    return [fault('no totals follow from its items')];
  }
}

/** Holds what was paid against what it was paid for. */
export function faultsOfPayments({ document, state, received }: BookEntry): Fault[] {
  const fault = (message: string) => faultOf('payments', document, message);
  const { payments, totals, type } = document;
  const own = sum(payments.map(({ amount }) => inAgorot(amount)));
  const faults: Fault[] = [];
  if (documentTypeRules[type].payments === 'forbidden') {
    if (payments.length > 0) faults.push(fault('it bears payments, which its type does not'));
  } else if (!withinOneAgora(own, inAgorot(totals.total))) {
    faults.push(
      fault(`its payments come to ${formatShekels(own)}, and its total is ${totals.total.toFixed(2)}`),
    );
  }
  const paid = own + inAgorot(received);
  if (inAgorot(state.paid) !== paid) {
    faults.push(
      fault(`${state.paid.toFixed(2)} stands as paid, and ${formatShekels(paid)} was received for it`),
    );
  }
  return faults;
}

/** A stored amount has two decimals; one that has more is rounded here, so that it shows as a fault of its sum. */
const inAgorot = (shekels: IssuedDocument['totals']['total']): Agorot =>
  fromShekels(Number(shekels.toFixed(2)));
