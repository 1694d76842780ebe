import type { Business } from '@pinkas/contracts';
import { formatDay } from '@pinkas/domain';
import { ltr, printedReport } from '@pinkas/exports';
import { isolate, type Language, type Markup, type Words } from '@pinkas/ui';

const texts = {
  business: { he: 'שם העסק', en: 'Business' },
  taxId: { he: 'מספר עוסק', en: 'Registration number' },
  made: { he: 'הופק', en: 'Made on' },
} as const satisfies Record<string, Words>;

/**
 * A page to print, which begins with whose it is and when it was made.
 * @param given.about what it is about, as terms with HTML; null where there is nothing.
 */
export function printedPage(
  {
    business: { name, tax_id },
    language,
    today,
  }: { readonly business: Business; readonly language: Language; readonly today: string },
  {
    title,
    about,
    body,
  }: {
    readonly title: string;
    readonly about: readonly (readonly [term: string, value: string | null])[];
    readonly body: Markup;
  },
): string {
  const facts = [
    [texts.business[language], isolate(name, language).text],
    [texts.taxId[language], tax_id && ltr(tax_id)],
    ...about,
    [texts.made[language], ltr(formatDay(today, language))],
  ] as const;
  return printedReport({
    language,
    business: name,
    title,
    facts: facts.flatMap(([term, value]) => (value ? [[term, value] as const] : [])),
    body: body.text,
  });
}
