import { escapeHtml } from '@pinkas/ui';

const style = `
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; --desk: #efeff0; --paper: #fff; --ink: #17202b; --soft: #566070; --rule: #dce1e8; }
  @media (prefers-color-scheme: dark) { :root { --desk: #242a32; --paper: #151b23; --ink: #e8edf3; --soft: #a5b0be; --rule: #333d4a; } }
  body { margin: 0; padding: 12vh 1rem 2rem; background: var(--desk); color: var(--ink); overflow-wrap: anywhere; }
  main { max-width: 34rem; margin: 0 auto; padding: 2rem 1.75rem; background: var(--paper); border-radius: .5rem; box-shadow: 0 .06rem .2rem #0003, 0 .5rem 1.5rem #0000001f; }
  h1, h2 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 .35rem; }
  hr { border: 0; border-top: 1px solid var(--rule); margin: 1.5rem 0; }
  p { margin: .25rem 0; }
  small { color: var(--soft); }
`;

/**
 * A page with a short message.
 * @param bodyHtml HTML, escaped.
 */
export function plainPage(title: string, bodyHtml: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${bodyHtml}
</body>
</html>
`;
}
