import type { EventOf, messageDue } from '@pinkas/contracts';
import { isGoodsNote, totalRows } from '@pinkas/domain';
import { provokesFailure } from '@pinkas/domain/delivery';
import type { DeliveryFacts } from '../db/delivery.tables.js';

/** The facts of a document and its business that messages state, as both were when it was issued. */
export function factsOf({
  document,
  business,
  artifact_sha256,
}: Pick<EventOf<typeof messageDue>, 'document' | 'business' | 'artifact_sha256'>): DeliveryFacts {
  const { discount } = document;
  const withoutPrices = business.delivery_notes_without_prices === true && isGoodsNote(document.type);
  const figures = totalRows(document, business.legal_type).map(({ kind, amount }) => ({
    kind,
    amount: Number(amount) / 100,
  }));
  return {
    document: {
      type: document.type,
      number: document.number,
      date: document.date,
      total: document.totals.total,
      ...(document.withheld !== undefined && { withheld: document.withheld }),
      public_id: document.public_id,
      artifact_sha256,
      customer_name: document.customer.name,
      due_date: document.due_date,
      figures: withoutPrices ? null : figures,
      vat_rate: document.totals.vat_rate,
      discount_percent: discount?.type === 'percent' ? discount.value : null,
    },
    business: {
      name: business.name,
      email: business.email,
      language: business.language,
      quiet_hours: business.auto_send.quiet_hours,
      ...(business.accent_color && { accent_color: business.accent_color }),
      ...(business.logo && { logo: business.logo }),
      ...(business.mail_from && { mail_from: business.mail_from }),
      ...(business.payment_instructions && { payment_instructions: business.payment_instructions }),
    },
    ...(business.events && { events: true }),
    ...(provokesFailure(document) && { fails: true }),
  };
}
