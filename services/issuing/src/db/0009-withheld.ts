import { sqlMigration } from '@pinkas/service-kit/schema';

/**
 * Tax that customers withhold at source: an entry beside the set-offs, of another kind. It is part of `document.set_off`, so that a replica of the release
 * before computes the balance that it leaves.
 */
export const withheld = sqlMigration(`
  alter table set_off
    add column kind text not null default 'credit',
    add column withheld_on date,
    add column confirmation_number text,
    add column confirmation_date date,
    add constraint set_off_kind_check check (kind in ('credit', 'withheld')),
    add constraint set_off_withheld_check check (
      (kind = 'withheld') = (withheld_on is not null)
      and (kind = 'withheld' or confirmation_number is null and confirmation_date is null)),
    drop constraint set_off_pkey,
    add constraint set_off_pkey primary key (business_id, id, document_id, kind);
  create index set_off_withheld_idx on set_off (business_id, account_id, withheld_on, id, document_id)
    where kind = 'withheld' and removed_at is null;
  comment on table set_off is
    'What was set against a document: of the money on the account of its customer, or tax that the customer has withheld at source.';
  comment on column set_off.kind is 'credit: of the money on account; withheld: tax that its customer has withheld.';
  comment on column set_off.withheld_on is 'Of tax that was withheld: the day of the payment, which decides its year.';
  comment on column set_off.confirmation_number is 'Of the paper in which the customer confirms it.';
  comment on column set_off.confirmation_date is 'The day on this paper.';
  comment on column set_off.id is
    'The act, which may settle several documents once: of a receipt that was issued with it, the id of the receipt.';

  create or replace function set_off_is_removed_once() returns trigger language plpgsql as $$
  begin
    if old.removed_at is not null
      or to_jsonb(new) - 'removed_at' is distinct from to_jsonb(old) - 'removed_at'
    then
      raise exception 'a set-off can only be removed, once' using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;

  alter table document add column withheld numeric(14, 2) not null default 0;
  comment on column document.withheld is
    'Of what is set against it, the tax that its customer has withheld; of a receipt what was withheld in addition to what it received, as it states.';
  comment on column document.set_off is
    'What an owner has set against it, of the money that its customer has on account or as tax that was withheld: the sum of its set-offs that are not removed.';

  create function receipt_states_withheld() returns trigger language plpgsql as $$
  begin
    raise exception 'what a receipt states cannot be changed' using errcode = 'restrict_violation';
  end $$;
  create trigger receipt_states_withheld before update of withheld on document
    for each row when (old.type = 'receipt' and new.withheld <> old.withheld) execute function receipt_states_withheld();
`);
