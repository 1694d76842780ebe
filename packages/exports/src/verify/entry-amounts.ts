import { type BookEntry, type IssuedDocument } from '@pinkas/contracts';
import {
  type Agorot,
  computeTotals,
  documentTypeRules,
  formatShekels,
  fromShekels,
  sum,
  withinOneAgora,
} from '@pinkas/domain';
import { type Finding, findingOf } from './checks.js';

/** Computes the totals of a document from its items, and compares them with the stored ones. */
export function checkTotals({ document }: Pick<BookEntry, 'document'>): Finding[] {
  const finding = (message: string) => findingOf('totals', document, message);
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
        : finding(`its ${name} is ${stored.toFixed(2)}, and its items add up to ${formatShekels(amount)}`),
    );
  } catch {
    // Issuing would have rejected these items.
    return [finding('no totals can be computed from its items')];
  }
}

/** Compares payments with the total, and the paid amount with payments and receipts. */
export function checkPayments({ document, state, received }: BookEntry): Finding[] {
  const finding = (message: string) => findingOf('payments', document, message);
  const { payments, totals, type } = document;
  const own = sum(payments.map(({ amount }) => inAgorot(amount)));
  const findings: Finding[] = [];
  if (documentTypeRules[type].payments === 'forbidden') {
    if (payments.length > 0) {
      findings.push(finding('it has payments, which its type does not allow'));
    }
  } else if (!withinOneAgora(own, inAgorot(totals.total))) {
    findings.push(
      finding(`its payments add up to ${formatShekels(own)}, and its total is ${totals.total.toFixed(2)}`),
    );
  }
  const paid = own + inAgorot(received);
  if (inAgorot(state.paid) !== paid) {
    findings.push(
      finding(`its paid amount is ${state.paid.toFixed(2)}, and ${formatShekels(paid)} was received`),
    );
  }
  return findings;
}

/** A stored amount has two decimals; one with more is rounded, so that its sum differs. */
const inAgorot = (shekels: IssuedDocument['totals']['total']): Agorot =>
  fromShekels(Number(shekels.toFixed(2)));
