import { sqlMigration } from '@pinkas/service-kit/schema';

/** The state of a document, as `settlementOf` of the domain has it. @param row what the names of the columns begin with. */
const stateOf = (row: '' | 'new.') => `
    case
      when ${row}balance > 0 then case when ${row}paid + ${row}set_off > 0 then 'partly_paid' else 'unpaid' end
      when ${row}balance = 0 then case
        when ${row}paid + ${row}set_off > 0 then 'settled' when ${row}total = 0 then 'nothing' else 'credited' end
      when ${row}balance < 0 then case
        when ${row}balance + ${row}paid + ${row}set_off < 0 then 'overcredited' else 'overpaid' end
    end`;

/**
 * How far a document is settled, for lists and for the trail. A column of its own, not an expression of an index: under
 * row security an index answers leakproof comparisons alone, and those of amounts are not.
 */
export const settlement = sqlMigration(`
  alter table document add column settlement text generated always as (${stateOf('')}) stored;
  -- The rows have it; a plain column can be copied with them.
  alter table document alter column settlement drop expression;
  create function document_has_settlement() returns trigger language plpgsql as $$
  begin
    new.settlement := ${stateOf('new.')};
    return new;
  end $$;
  create trigger document_has_settlement before insert or update of balance, paid, set_off, settlement on document
    for each row execute function document_has_settlement();
  comment on column document.settlement is 'How far it is settled; null where it asks for no payment.';
  create index document_settlement_idx on document (business_id, type, settlement, position) where settlement is not null;
  drop index document_partly_paid_idx;

  create or replace function document_state(of_document document) returns text language sql stable as $$
    select '{"allocation_number":' || coalesce(to_json(of_document.allocation_number)::text, 'null')
      || ',"cancel_reason":' || coalesce(to_json(of_document.cancel_reason)::text, 'null')
      || ',"cancelled_at":' || coalesce(
        '"' || to_char(of_document.cancelled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null')
      || case when of_document.type = 'donation_receipt' then
        ',"donation_number":' || coalesce(to_json(of_document.donation ->> 'number')::text, 'null')
        || ',"donation_status":' || coalesce(to_json(of_document.donation ->> 'status')::text, 'null') else '' end
      || ',"paid":"' || of_document.paid || '"'
      || coalesce(',"settlement":"' || of_document.settlement || '"', '')
      || ',"status":"' || of_document.status || '"}'
  $$;
`);
