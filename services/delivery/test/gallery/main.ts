import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findBinary } from '@pinkas/local-stack/servers';
import { escapeHtml } from '@pinkas/ui';
import { chromium } from 'playwright-core';
import { composeEmail, logoContentId } from '../../src/mail/compose-email.js';
import { mailCases } from './cases.js';

/*
 * Draws every kind of email as HTML and as text, and writes a page with all of them to look at. `npm run gallery` runs it
 * after the documents, with the same parts of names.
 */

const folder = join(process.cwd(), '.pinkas/gallery');
const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 60"><rect width="60" height="60" rx="12" fill="#0b6e4f"/><rect x="76" y="14" width="150" height="12" rx="6" fill="#0b6e4f"/><rect x="76" y="34" width="96" height="12" rx="6" fill="#8fc3ae"/></svg>';
const logo = `data:image/svg+xml;base64,${Buffer.from(drawing).toString('base64')}`;
const screens = [
  { name: 'desktop', width: 800 },
  { name: 'phone', width: 360 },
] as const;

/** The text part as a mail program shows it: each line in the direction of its first letter. */
const textPage = (text: string) =>
  `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><body style="margin:16px;background:#fff"><pre style="font:15px/1.5 sans-serif;white-space:pre-wrap;unicode-bidi:plaintext;overflow-wrap:anywhere">${escapeHtml(text)}</pre>`;

const wanted = process.argv.slice(2);
const cases = mailCases().filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
);
await mkdir(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: findBinary('chromium-headless-shell') ?? 'chromium',
  args: ['--no-sandbox'],
});
try {
  const sections: string[] = [];
  for (const { name, facts, occasion } of cases) {
    const email = composeEmail(facts, occasion, 'https://pinkas.example.com/d');
    const html = email.html.replace(`cid:${logoContentId}`, logo);
    const pictures: string[] = [];
    for (const screen of screens) {
      const page = await browser.newPage({
        viewport: { width: screen.width, height: 400 },
        javaScriptEnabled: false,
      });
      for (const [part, content] of [
        ['html', html],
        ['text', textPage(email.text)],
      ] as const) {
        const file = `${name}-${part}-${screen.name}.png`;
        await page.setContent(content);
        await page.screenshot({ path: join(folder, file), fullPage: true });
        pictures.push(`<a href="${file}"><img src="${file}" alt="${file}"></a>`);
      }
      await page.close();
    }
    sections.push(
      `<section><h2>${name}</h2><p><bdi>${escapeHtml(email.subject)}</bdi> · <bdi>${escapeHtml(email.fileName)}</bdi></p><div>${pictures.join('')}</div></section>`,
    );
    process.stdout.write(`${name}\n`);
  }
  const index = join(folder, 'emails.html');
  await writeFile(
    index,
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Emails · Gallery · Pinkas</title><style>body{font:16px system-ui,sans-serif;margin:2rem;background:#e9ecf0}div{display:flex;flex-wrap:wrap;gap:1rem;align-items:start}img{max-width:26rem;max-height:40rem;box-shadow:0 1px 4px #0004}</style><h1>Emails</h1>${sections.join('')}</html>`,
  );
  process.stdout.write(`${index}\n`);
} finally {
  await browser.close();
}
