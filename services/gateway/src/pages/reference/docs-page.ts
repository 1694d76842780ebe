import { html, type Markup, mark } from '@pinkas/ui';
import type { GatewayConfig } from '../../config.js';
import { fixedPage } from '../../http/http-page.js';
import { htmlHeaders } from '../../http/page-headers.js';
import { plainPage } from '../../http/plain-page.js';

const style = `
:root { background: var(--paper); scroll-padding-top: 1rem; }
body { margin: 0; font: 1rem/1.55 Heebo, system-ui, sans-serif; color: var(--ink); }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: baseline; padding: .6rem 1.25rem; background: var(--paper);
  border-block-end: 1px solid var(--rule); font-size: .95rem; }
header a { color: var(--soft); text-decoration: none; }
header a:hover { text-decoration: underline; text-underline-offset: .3em; }
header a[aria-current] { color: var(--accent); font-weight: 700; }
header strong { display: inline-flex; align-items: center; gap: .6rem; font-size: 1.2rem; margin-inline-end: auto; }
header svg { width: 1.9rem; height: 1.9rem; }
main { max-width: 52rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
main h1 { font-size: 1.75rem; margin: .5rem 0; }
main h2 { font-size: 1.1rem; margin: 2.5rem 0 .5rem; }
main a { color: var(--accent); }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; }
p code { color: var(--accent); overflow-wrap: anywhere; }
pre { background: var(--tint); color: var(--ink); padding: .75rem 1rem; border-radius: .4rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.index { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1rem; margin: 1rem 0; }
.index dd { margin: 0; display: flex; flex-wrap: wrap; gap: .1rem .9rem; overflow-wrap: anywhere; }
section { border: 1px solid var(--rule); border-radius: .5rem; padding: 1rem 1.25rem; margin: 1rem 0; }
section:target { border-color: var(--accent); box-shadow: 0 0 0 2px var(--accent); }
section h3 { margin: 0 0 .5rem; font-size: 1.05rem; display: flex; flex-wrap: wrap; gap: .4rem .75rem; align-items: baseline; }
section h3 a { text-decoration: none; overflow-wrap: anywhere; }
section p { margin: .35rem 0; }
.mark { font: .8rem/1.6 Heebo, system-ui, sans-serif; padding: 0 .5rem; border-radius: 1rem; background: var(--desk); color: var(--ink); }
.mark.again { background: var(--tint); color: var(--accent-on-tint); font-weight: 600; }
.more { color: var(--soft); font-size: .9rem; }
details summary { padding: .15rem 0; cursor: pointer; color: var(--accent); font-size: .9rem; }
table { border-collapse: collapse; font-size: .92rem; }
th, td { text-align: start; vertical-align: top; padding: .3rem .6rem .3rem 0; border-block-end: 1px solid var(--rule); overflow-wrap: anywhere; }
li code, td code, dd code { overflow-wrap: anywhere; }
h4 { margin: 1rem 0 .25rem; }
.reference { display: grid; grid-template-columns: 15rem minmax(0, 1fr); }
.reference nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; box-sizing: border-box; padding: 1rem 1.25rem;
  border-inline-end: 1px solid var(--rule); font-size: .92rem; }
.reference nav details { margin: .75rem 0; }
.reference nav summary { font-weight: 600; color: var(--ink); font-size: inherit; }
.reference nav ul { list-style: none; margin: 0; padding: 0; }
.reference nav a { color: var(--accent); text-decoration: none; display: block; padding: .15rem 0; overflow-wrap: anywhere; }
.reference main { margin: 0; min-width: 0; }
.reference h2 { font-size: 1.35rem; border-block-start: 2px solid var(--rule); padding-block-start: 1.25rem; }
.fields { margin: .25rem 0; }
.fields > div { border-block-start: 1px solid var(--rule); padding: .45rem 0; }
.fields dt { display: flex; flex-wrap: wrap; gap: .1rem .6rem; align-items: baseline; overflow-wrap: anywhere; }
.fields dt code { color: var(--accent); }
.fields dd { margin: .1rem 0 0 1rem; }
.fields ul { margin: .25rem 0; padding-inline-start: 1.1rem; }
@media (min-width: 60.01rem) { .reference nav details::details-content { content-visibility: visible; block-size: auto; }
  .reference nav summary { list-style: none; pointer-events: none; } }
@media (max-width: 60rem) { .reference { display: block; } .reference nav { position: static; max-height: none; border-inline-end: 0;
  border-block-end: 1px solid var(--rule); } .reference nav details { margin: .25rem 0; } }
@media (max-width: 40rem) { .index { grid-template-columns: 1fr; } section { padding: .8rem 1rem; } }
`;

/** One page of the documentation, with links to the others. */
interface DocsPage {
  /** `Guide`, `Reference` or `Errors`, or that of a page that the guide links. */
  readonly title: string;
  readonly body: Markup;
}

/**
 * A page of the documentation, which is made once.
 * @param make gets the path of the documentation, without a slash at its end.
 */
export const fixedDocsPage = (path: string, make: (config: GatewayConfig, docsPath: string) => DocsPage) =>
  fixedPage(
    (config) => config.docsUrl,
    path,
    (config) => {
      const docsPath = new URL(config.docsUrl).pathname.replace(/\/+$/, '');
      const page = asHtml(make(config, docsPath), docsPath, `${config.baseUrl}/openapi.json`);
      return { status: 200, headers: htmlHeaders(page), body: Buffer.from(page), compress: true };
    },
  );

function asHtml({ title, body }: DocsPage, docsPath: string, openApiUrl: string): string {
  const link = (href: string, text: string) =>
    html`<a href="${href}"${text === title && html` aria-current="page"`}>${text}</a>`;
  return plainPage(
    `${title} · Pinkas`,
    style,
    html`<header>
<strong>${mark} Pinkas · <span lang="he" dir="rtl">פנקס</span></strong>
${link(docsPath === '' ? '/' : docsPath, 'Reference')}
${link(`${docsPath}/guide`, 'Guide')}
${link(`${docsPath}/errors`, 'Errors')}
${link(openApiUrl, 'OpenAPI')}
</header>
${body}`,
  );
}
