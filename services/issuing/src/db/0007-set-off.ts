import { enableTenantIsolation, keepLiveRows, sqlMigration } from '@pinkas/service-kit/schema';

/** What asks for an agora that credit notes have left, or has received one beyond its total, has a balance of 0, in the debts as well. */
export const agorotAreNothing = `
  with agora as (
    select business_id, id, account_id, case when due_on is null then dated_on else due_on end as due_on, balance
    from document
    where type in ('tax_invoice', 'proforma') and (
      balance = 0.01 and exists (
        select from document as note
        where note.business_id = document.business_id and note.source_id = document.id and note.type = 'credit_note'
          and note.total > 0)
      or balance = -0.01 and paid > 0)
  ),
  emptied as (
    update document set balance = 0 from agora
    where document.business_id = agora.business_id and document.id = agora.id
  ),
  gone as (
    select business_id, coalesce(account_id, '00000000-0000-0000-0000-000000000000'::uuid) as account_id,
      coalesce(due_on, 'infinity') as due_on, (count(*) filter (where balance > 0))::integer as documents,
      (case when due_on is null then count(*) filter (where balance < 0) else 0 end)::integer as beyond
    from agora group by business_id, grouping sets ((account_id, due_on), (account_id), (due_on))
  )
  update debt_sum
    set documents = debt_sum.documents - gone.documents, open_agorot = debt_sum.open_agorot - gone.documents,
      on_account_agorot = debt_sum.on_account_agorot - gone.beyond
    from gone
    where debt_sum.business_id = gone.business_id and debt_sum.account_id = gone.account_id and debt_sum.due_on = gone.due_on;`;

/**
 * Money on account that an owner sets against documents, and indexes of the documents by the state of their balance, in the order of
 * lists.
 */
export const setOff = sqlMigration(`
  alter table document add column set_off numeric(14, 2) not null default 0;
  comment on column document.set_off is
    'Of the money that its customer has on account, what an owner has set against it: the sum of its set-offs that are not removed.';

  create table set_off (
    business_id uuid not null,
    id          uuid not null,
    document_id uuid not null,
    account_id  uuid not null,
    amount      numeric(14, 2) not null,
    set_at      timestamptz not null,
    person_id   uuid,
    removed_at  timestamptz,
    constraint set_off_pkey primary key (business_id, id, document_id),
    constraint set_off_amount_check check (amount > 0)
  );
  create index set_off_document_idx on set_off (business_id, document_id);
  comment on table set_off is 'What was set against a document, of the money on the account of its customer.';
  comment on column set_off.id is
    'The act, which may set off against several documents once: of a receipt that was issued with it, the id of the receipt.';
  ${enableTenantIsolation('set_off')}
  ${keepLiveRows('set_off')}

  create function set_off_is_removed_once() returns trigger language plpgsql as $$
  begin
    if old.removed_at is not null
      or (new.business_id, new.id, new.document_id, new.account_id, new.amount, new.set_at, new.person_id)
        is distinct from (old.business_id, old.id, old.document_id, old.account_id, old.amount, old.set_at, old.person_id)
    then
      raise exception 'a set-off can only be removed, once' using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;
  create trigger set_off_is_removed_once before update on set_off
    for each row execute function set_off_is_removed_once();

  create index document_partly_paid_idx on document (business_id, type, position) where balance > 0 and paid + set_off > 0;

  ${agorotAreNothing}
  comment on column debt_sum.on_account_agorot is
    'Of an account: what it has received beyond what its documents ask for, less what is left to pay of them and what was set off; an agora that is left, or received beyond a total, is nothing.';
`);
