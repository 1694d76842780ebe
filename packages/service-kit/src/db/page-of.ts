/**
 * A page of rows of which one more than its limit was read, which shows whether there is another page.
 * @returns `last`: the last row of the page where another page follows.
 */
export function pageOf<Row>(
  found: readonly Row[],
  limit: number,
): { readonly page: Row[]; readonly last: Row | undefined } {
  const page = found.slice(0, limit);
  return { page, last: found.length > limit ? page.at(-1) : undefined };
}
