const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 46rem; margin: 12vh auto; padding: 0 1.25rem; }
  h1 { font-size: 1.5rem; }
  section { border-top: 1px solid #8884; padding: .75rem 0; }
  section:target { background: #ffd54a33; }
  h2 { font-size: 1rem; margin: 0; }
  p { margin: .25rem 0; }
  small { opacity: .7; }
`;

/** A page of the gateway's own: a title and a body that is HTML already. */
export function plainPage(title: string, bodyHtml: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${bodyHtml}
</body>
</html>
`;
}
