/** The setting of a connection that says whose rows it sees: a business's id, `*` for all, unset or empty for none. */
export const businessSetting = 'pinkas.business_id';

/**
 * The statements that hide the rows of a table from whoever has not said which business they belong to, the table's owner
 * included. For a migration.
 * @param column the column that bears the business's id.
 */
export function hideFromOthers(table: string, column = 'business_id'): string {
  const seen = `current_setting('${businessSetting}', true)`;
  // No subquery, which would be planned anew with every statement: most look at one row. Unset is null, which nothing equals;
  // a branch that is not taken is not cast; a setting that is no UUID is an error.
  return `
    alter table ${table} enable row level security;
    alter table ${table} force row level security;
    create policy ${table}_of_business on ${table}
      using (case ${seen} when '*' then true when '' then false else ${column} = ${seen}::uuid end);
  `;
}
