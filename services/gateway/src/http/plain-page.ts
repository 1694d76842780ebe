import { directions, html, type Language, languages, Markup, pageTokens } from '@pinkas/ui';

const messageStyle = `
  body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; padding: 12vh 1rem 2rem; background: var(--desk); color: var(--ink); overflow-wrap: anywhere; }
  main { max-width: 34rem; margin: 0 auto; padding: 2rem 1.75rem; background: var(--paper); border-radius: .5rem;
    box-shadow: 0 .06rem .2rem #0003, 0 .5rem 1.5rem #0000001f; }
  h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 .35rem; }
  div + div, div + p { border-top: 1px solid var(--rule); margin-top: 1.5rem; padding-top: 1.5rem; }
  p { margin: .25rem 0; }
  small { color: var(--soft); }
`;

/** The accent of pages that are no document's. */
const accent = '#1b57b8';

/**
 * A complete page in the colors of pages, light or dark by the reader's preference.
 * @param style of the page alone; the headers allow it by its hash.
 */
export function plainPage(title: string, style: string, body: Markup, language: Language = 'en'): string {
  const tokens = new Markup(`${pageTokens(accent)}\n${style}`);
  const page = html`<html lang="${language}" dir="${directions[language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${tokens}</style>
</head>
<body>
${body}
</body>
</html>
`;
  return `<!doctype html>\n${page.text}`;
}

/** A heading in each language, with what follows from it. */
export type Message = Readonly<Record<Language, { readonly title: string; readonly more: string }>>;

/** A page with a short message in both languages. @param note below it, in small letters. */
export function messagePage(message: Message, note?: string): string {
  const parts = languages.map((language) => {
    const { title, more } = message[language];
    return html`<div lang="${language}" dir="${directions[language]}">
<h1>${title}</h1>
<p>${more}</p>
</div>
`;
  });
  const small = note !== undefined && html`<p><small>${note}</small></p>`;
  return plainPage(
    message.en.title,
    messageStyle,
    html`<main>
${parts}
${small}
</main>`,
  );
}
