import { sqlMigration } from '@pinkas/service-kit/schema';

/** The sums of debts, of all businesses, no longer ask for an agora that receipts have left, and that is taken as paid. */
export const agorotTakenAsPaid = sqlMigration(`
  with settled as (
    select business_id, account_id, count(*) as documents from document
    where type in ('tax_invoice', 'proforma') and paid > 0 and paid <> total and balance = 0
      and total - paid - coalesce((
        select sum(note.total) from document as note
        where note.business_id = document.business_id and note.source_id = document.id and note.type = 'credit_note'), 0) = 0.01
    group by business_id, account_id
  )
  update debt_sum set on_account_agorot = on_account_agorot + settled.documents from settled
  where debt_sum.business_id = settled.business_id and debt_sum.account_id = settled.account_id and due_on = 'infinity';
  comment on column debt_sum.on_account_agorot is
    'Of an account: what it has received beyond what its documents ask for, less what is left to pay of them; an agora that is taken as paid is not asked for.';
`);
