import { escapeHtml } from '@pinkas/ui';

/** The colours of the documentation; every text has at least the contrast of WCAG AA (4.5) to its background. */
const colors = {
  text: '#1f2933',
  accent: '#1d4ed8',
  code: '#9d174d',
  dark: '#1f2933',
  darker: '#141b22',
} as const;

const style = `
:root { font: 16px/1.55 system-ui, sans-serif; color: ${colors.text}; background: #fff; scroll-padding-top: 1rem; }
body { margin: 0; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: baseline; padding: .75rem 1.25rem; background: ${colors.dark}; font-size: .95rem; }
header a { color: #fff; text-decoration: none; }
header a:hover, header a[aria-current] { text-decoration: underline; text-underline-offset: .3em; }
header strong { color: #fff; margin-inline-end: auto; }
main { max-width: 52rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
main h1 { font-size: 1.75rem; margin: .5rem 0; }
main h2 { font-size: 1.1rem; margin: 2.5rem 0 .5rem; }
main a { color: ${colors.accent}; }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; }
p code { color: ${colors.code}; overflow-wrap: anywhere; }
pre { background: ${colors.darker}; color: #e6edf3; padding: .75rem 1rem; border-radius: .4rem; overflow-x: auto; }
.index { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1rem; margin: 1rem 0; }
.index dd { margin: 0; display: flex; flex-wrap: wrap; gap: .1rem .9rem; overflow-wrap: anywhere; }
section { border: 1px solid #d5dae1; border-radius: .5rem; padding: 1rem 1.25rem; margin: 1rem 0; }
section:target { border-color: ${colors.accent}; box-shadow: 0 0 0 2px ${colors.accent}; }
section h3 { margin: 0 0 .5rem; font-size: 1.05rem; display: flex; flex-wrap: wrap; gap: .4rem .75rem; align-items: baseline; }
section h3 a { text-decoration: none; overflow-wrap: anywhere; }
section p { margin: .35rem 0; }
.mark { font: .8rem/1.6 system-ui, sans-serif; padding: 0 .5rem; border-radius: 1rem; background: #e4e7eb; color: ${colors.text}; }
.mark.again { background: #d1f0dc; color: #14532d; }
.more { color: #52606d; font-size: .9rem; }
details summary { padding: .15rem 0; cursor: pointer; color: ${colors.accent}; font-size: .9rem; }
table { border-collapse: collapse; font-size: .92rem; }
th, td { text-align: start; vertical-align: top; padding: .3rem .6rem .3rem 0; border-block-end: 1px solid #d5dae1; overflow-wrap: anywhere; }
li code, td code, dd code { overflow-wrap: anywhere; }
h4 { margin: 1rem 0 .25rem; }
.reference { display: grid; grid-template-columns: 15rem minmax(0, 1fr); }
.reference nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; box-sizing: border-box; padding: 1rem 1.25rem; border-inline-end: 1px solid #d5dae1; font-size: .92rem; }
.reference nav p { font-weight: 600; margin: 1rem 0 .25rem; }
.reference nav ul { list-style: none; margin: 0; padding: 0; }
.reference nav a { color: ${colors.accent}; text-decoration: none; display: block; padding: .15rem 0; overflow-wrap: anywhere; }
.reference main { margin: 0; min-width: 0; }
.reference pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.reference h2 { font-size: 1.35rem; border-block-start: 2px solid #d5dae1; padding-block-start: 1.25rem; }
.fields { margin: .25rem 0; }
.fields > div { border-block-start: 1px solid #d5dae1; padding: .45rem 0; }
.fields dt { display: flex; flex-wrap: wrap; gap: .1rem .6rem; align-items: baseline; overflow-wrap: anywhere; }
.fields dt code { color: ${colors.code}; }
.fields dd { margin: .1rem 0 0 1rem; }
.fields ul { margin: .25rem 0; padding-inline-start: 1.1rem; }
@media (max-width: 60rem) { .reference { display: block; } .reference nav { position: static; max-height: 40vh; border-block-end: 1px solid #d5dae1; } }
@media (max-width: 40rem) { .index { grid-template-columns: 1fr; } section { padding: .8rem 1rem; } }
`;

/** One page of the documentation, with links to the others. */
export interface DocsPage {
  readonly title: 'Reference' | 'Errors';
  /** The path of the documentation, without a slash at its end. */
  readonly docsPath: string;
  /** The public address of the OpenAPI document. */
  readonly openApiUrl: string;
  /** HTML, escaped. */
  readonly bodyHtml: string;
}

/** A page of the documentation as HTML. */
export function docsPage({ title, docsPath, openApiUrl, bodyHtml }: DocsPage): string {
  const link = (href: string, text: string) =>
    `<a href="${escapeHtml(href)}"${text === title ? ' aria-current="page"' : ''}>${text}</a>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${title} · Pinkas</title>
<style>${style}</style>
</head>
<body>
<header>
<strong>Pinkas · <span lang="he" dir="rtl">פנקס</span></strong>
${link(docsPath === '' ? '/' : docsPath, 'Reference')}
${link(`${docsPath}/errors`, 'Errors')}
${link(openApiUrl, 'OpenAPI')}
</header>
${bodyHtml}
</body>
</html>
`;
}
