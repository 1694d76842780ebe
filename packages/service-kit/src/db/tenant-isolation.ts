/** The connection setting that names the tenant scope: a business's id, `*` for all, unset or empty for none. */
export const tenantSetting = 'pinkas.business_id';

/**
 * The statements that enable row-level security on a table, for its owner as well. For a migration.
 * @param column the column with the business's id.
 */
export function enableTenantIsolation(table: string, column = 'business_id'): string {
  const tenant = `current_setting('${tenantSetting}', true)`;
  // No subquery, which every statement would plan. Unset is null, which equals nothing; a branch that is not taken is not cast; a
  // setting that is not a UUID is an error.
  return `
    alter table ${table} enable row level security;
    alter table ${table} force row level security;
    create policy ${table}_of_business on ${table}
      using (case ${tenant} when '*' then true when '' then false else ${column} = ${tenant}::uuid end);
  `;
}

/** The statements that create `is_test_book(business_id)`: the version of the UUID says it (ADR 0051). For a migration. */
export const createTestBookFunction = `
  create function is_test_book(business_id uuid) returns boolean immutable language sql
    return substr(business_id::text, 15, 1) = '8';
  create function keep_live_row() returns trigger language plpgsql as $$
  begin
    if not is_test_book(old.business_id) then
      raise exception 'a live book is never emptied' using errcode = 'restrict_violation';
    end if;
    return old;
  end $$;
  create function reject_truncate() returns trigger language plpgsql as $$
  begin
    raise exception 'a live book is never emptied' using errcode = 'restrict_violation';
  end $$;
`;

/**
 * The statements after which only rows of test books can be deleted from a table. For a migration, after `createTestBookFunction`.
 * @param except a condition on the `old` row: rows that may be deleted from a live book as well.
 */
export function keepLiveRows(table: string, except?: string): string {
  const when = except === undefined ? '' : `when (not (${except})) `;
  return `
    create trigger ${table}_keeps_live_rows before delete on ${table}
      for each row ${when}execute function keep_live_row();
    create trigger ${table}_is_not_truncated before truncate on ${table}
      for each statement execute function reject_truncate();
  `;
}
