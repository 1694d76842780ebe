import { type LawRule, law, lawText } from '@pinkas/domain';

/** The page of the rules of law that Pinkas applies. */
export function lawPage(): string {
  return `# Law

The rules with a value, a deadline or a layout that Pinkas applies or that its users have to know. Code, pages and this
page have them from one table, [law.ts](../packages/domain/src/law.ts); \`npm run generate\` writes this page.
A test fails once a date of the last column has passed: read the source again, add what has changed with its first day,
and set the next date. The first page of the console shows a change 30 days before.

| rule | value, from its first day on | source | read again by |
| --- | --- | --- | --- |
${Object.values<LawRule>(law).map(row).join('\n')}
`;
}

function row(rule: LawRule): string {
  const values = rule.values.map(({ from, value }) => `${from}: ${lawText(rule, value)}`);
  const end = rule.until === undefined ? [] : [`until ${rule.until}`];
  return `| ${rule.name.en} | ${[...values, ...end].join('<br>')} | ${rule.source} | ${rule.reviewBy} |`;
}
