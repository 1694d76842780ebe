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
