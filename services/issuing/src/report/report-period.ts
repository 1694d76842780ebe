import { Controller } from '@nestjs/common';
import { type ReplyOf, type RequestOf, reportPeriod } from '@pinkas/contracts';
import {
  type Agorot,
  paymentMethods,
  periodReport,
  saleTypes,
  sum,
  type TypeSum,
  toShekels,
  type VatAmounts,
} from '@pinkas/domain';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { agorotOf } from '../document/amounts.js';
import type { IssuingTables } from '../document/document.tables.js';
import { sumWithheldOf } from '../document/withheld.repository.js';
import { checkPeriod } from './period-days.js';
import { type MonthSum, type ReceiptSum, receiptSums, saleSums } from './period-sums.repository.js';

/** Reports the VAT and the income of a period, and what was received by each means of payment. */
@Controller()
export class ReportPeriod {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  @Operation(reportPeriod)
  async handle(request: RequestOf<typeof reportPeriod>): Promise<ReplyOf<typeof reportPeriod>> {
    const { business_id, legal_type } = request;
    checkPeriod(request);
    // One snapshot: a tax invoice / receipt is in both.
    const [sales, receipts, withheld] = await forTenant(this.db, business_id)
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(
        async (trx) =>
          [
            await saleSums(trx, business_id, request),
            await receiptSums(trx, business_id, request),
            await sumWithheldOf(trx, business_id, request),
          ] as const,
      );
    const types = sales.map(toTypeSum);
    const report = periodReport(legal_type, types, receipts.map(amountOf));
    const { reported } = report;
    return {
      types: typeRows(types),
      rates: report.rates.map(({ vatRate, ...amounts }) => ({ vat_rate: vatRate, ...inShekels(amounts) })),
      sales: inShekels(report.sales),
      taxable: inShekels(report.taxable),
      untaxed: toShekels(report.untaxed),
      reported: {
        taxable: Number(reported.taxable),
        vat: Number(reported.vat),
        untaxed: Number(reported.untaxed),
      },
      receipts: paymentMethods.flatMap((method) => {
        const rows = receipts.filter((row) => row.method === method);
        const payments = rows.reduce((count, row) => count + row.payments, 0);
        return rows.length === 0 ? [] : [{ method, payments, amount: toShekels(sum(rows.map(amountOf))) }];
      }),
      received: toShekels(report.received),
      ...(withheld && { withheld }),
      income: { basis: report.income.basis, amount: toShekels(report.income.amount) },
      months: monthsOf(sales, receipts).map((month) => {
        const inMonth = sales.filter((row) => row.month === month).map(toTypeSum);
        const received = receipts.filter((row) => row.month === month).map(amountOf);
        const { sales: amounts } = periodReport(legal_type, inMonth, received);
        return {
          month,
          net: toShekels(amounts.net),
          vat: toShekels(amounts.vat),
          received: toShekels(sum(received)),
        };
      }),
    };
  }
}

const toTypeSum = (row: MonthSum): TypeSum => ({
  type: row.type,
  vatRate: Number(row.vat_rate),
  documents: row.documents,
  net: agorotOf(row.net),
  vat: agorotOf(row.vat),
  total: agorotOf(row.total),
});

const amountOf = ({ amount }: ReceiptSum): Agorot => agorotOf(amount);

const inShekels = ({ net, vat, total }: VatAmounts) => ({
  net: toShekels(net),
  vat: toShekels(vat),
  total: toShekels(total),
});

/** Each type at each rate, over the months, credit notes negative; what has no document, since all are cancelled, is left out. */
function typeRows(types: readonly TypeSum[]) {
  const rates = [...new Set(types.map(({ vatRate }) => vatRate))].sort((one, other) => other - one);
  return saleTypes.flatMap((type) =>
    rates.flatMap((vatRate) => {
      const rows = types.filter((row) => row.type === type && row.vatRate === vatRate);
      const documents = rows.reduce((count, row) => count + row.documents, 0);
      const sign = type === 'credit_note' ? -1n : 1n;
      const amounts = {
        net: sign * sum(rows.map(({ net }) => net)),
        vat: sign * sum(rows.map(({ vat }) => vat)),
        total: sign * sum(rows.map(({ total }) => total)),
      };
      return documents === 0 ? [] : [{ type, vat_rate: vatRate, documents, ...inShekels(amounts) }];
    }),
  );
}

const monthsOf = (sales: readonly MonthSum[], receipts: readonly ReceiptSum[]): string[] =>
  [...new Set([...sales, ...receipts].map(({ month }) => month))].sort();
