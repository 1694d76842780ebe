import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { keepInvitation, saveDraft } from '../harness/console-draft.js';
import { addressesOf, shownPages } from '../harness/console-pages.js';
import { sendEachMonth, sendQuotes } from '../harness/console-sending.js';
import { ConsoleVisitor, type View } from '../harness/console-visitor.js';
import type { Issuer, RunningStack } from '../harness/running-stack.js';
import { repositoryRoot } from '../harness/sources.js';
import { makeUniformExport, transmitExport } from '../harness/uniform-export.js';
import { type DemoBook, demoOrder } from './demo-book.js';

const run = promisify(execFile);
export const folder = join(repositoryRoot, '.pinkas/gallery');
const widths = [1280, 390] as const;
const schemes = ['light', 'dark'] as const;
/** The printed text. */
const onPaper = new Set(['console-reports', 'console-customers-id-statement', 'console-documents-id']);

/** A page to draw. */
interface Drawn {
  readonly name: string;
  readonly address: string;
  readonly isForStranger: boolean;
  /** What a person does there before it is drawn. */
  readonly act?: (visitor: ConsoleVisitor) => Promise<void>;
}

/** `/debts/:id/reminder` is `console-debts-id-reminder`, and in the test book `console-test-…`. */
function nameOf(path: string, address: string): string {
  const book = address.startsWith('/t/') ? ['test'] : [];
  const words = path.split(/[/:]+/).filter((word) => word !== '');
  const first = address.startsWith('/') && path === '/' ? [address === '/' ? 'businesses' : 'today'] : words;
  return ['console', ...book, ...first].join('-');
}

function pagesOf(businessId: string, ids: Readonly<Record<string, string>>): Drawn[] {
  // While the proof of signing in is fresh.
  const inOrder = shownPages.toSorted(
    (a, b) => Number(b.freshProof ?? false) - Number(a.freshProof ?? false),
  );
  return inOrder.flatMap((binding) =>
    addressesOf(binding, businessId, ids).map((address) => ({
      name: nameOf(binding.path, address),
      address,
      isForStranger: binding.path.startsWith('/sign-in'),
    })),
  );
}

/** Draws a page in each width and scheme, and on paper. @returns the names of the files. */
async function draw(
  visitor: ConsoleVisitor,
  { name, address, act }: Drawn,
  language: string,
): Promise<string[]> {
  const { page } = visitor;
  // The page before it was printed, or narrow.
  await page.setViewportSize({ width: widths[0], height: 900 });
  const response = await page.goto(new URL(address, visitor.origin).href);
  await act?.(visitor);
  const files: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: width > 700 ? 900 : 844 });
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      const file = `${name}-${language}-${width}-${colorScheme}.png`;
      await page.screenshot({ path: join(folder, file), fullPage: true });
      files.push(file);
    }
  }
  if (onPaper.has(name)) {
    await page.emulateMedia({ media: 'print', colorScheme: 'light' });
    const path = join(folder, `${name}-${language}.pdf`);
    await page.pdf({
      path,
      format: 'A4',
      margin: { top: '15mm', bottom: '15mm', left: '15mm', right: '15mm' },
    });
    const file = `${name}-${language}-print`;
    await run('pdftoppm', ['-r', '80', '-png', '-f', '1', '-singlefile', path, join(folder, file)]);
    await page.emulateMedia({ media: 'screen' });
    files.push(`${file}.png`);
  }
  if ((response?.status() ?? 500) >= 400) {
    process.stdout.write(`${name} in ${language} answers ${response?.status()}\n`);
  }
  return files;
}

/** Today of an institution that is not connected, the form of a donation receipt, and what it asks before it issues one. */
function donationPages(businessId: string): Drawn[] {
  const form = `/b/${businessId}/issue/document?type=donation_receipt`;
  const confirm = async (visitor: ConsoleVisitor) => {
    await visitor.page.fill('[name="customer.name"]', 'תורמת לדוגמה');
    await visitor.page.fill('[name="items.0.description"]', 'ספרים');
    await visitor.page.fill('[name="payments.0.amount"]', '180');
    await visitor.press('form[data-issue]', 'button[value=preview]');
  };
  return [
    { name: 'console-donation-today', address: `/b/${businessId}`, isForStranger: false },
    { name: 'console-donation-form', address: form, isForStranger: false },
    { name: 'console-donation-confirm', address: form, isForStranger: false, act: confirm },
  ];
}

/** The form of a receipt whose payment leaves what was withheld, and what it asks before it issues one. */
function withheldPages(businessId: string, invoiceId: string): Drawn[] {
  const address = `/b/${businessId}/issue/document?type=receipt&from=${invoiceId}`;
  const fill = async (visitor: ConsoleVisitor) => {
    await visitor.page.fill('[name="payments.0.amount"]', '12000');
    await visitor.press('form[data-issue]', 'button[value=withhold]');
  };
  const confirm = async (visitor: ConsoleVisitor) => {
    await fill(visitor);
    await visitor.press('form[data-issue]', 'button[value=preview]');
  };
  return [
    { name: 'console-withheld-form', address, isForStranger: false, act: fill },
    { name: 'console-withheld-confirm', address, isForStranger: false, act: confirm },
  ];
}

/** Records tax that was withheld of an invoice that is paid in part. */
async function recordWithheld(owner: ConsoleVisitor, businessId: string, invoiceId: string): Promise<void> {
  await owner.page.goto(new URL(`/b/${businessId}/documents/${invoiceId}/withheld`, owner.origin).href);
  await owner.page.fill('[name="amount"]', '250');
  await owner.page.fill('[name="confirmation.number"]', '857-1042');
  await owner.press('form[action$="/withheld"]');
}

/** The attempts with an idempotency key, and a request whose body is opened. */
function requestPages(businessId: string, request: string): Drawn[] {
  const at = `/b/${businessId}/connection/requests`;
  const open = (visitor: ConsoleVisitor) => visitor.press('form[action$="/open"]');
  return [
    {
      name: 'console-connection-requests-key',
      address: `${at}?idempotency_key=${demoOrder}`,
      isForStranger: false,
    },
    {
      name: 'console-connection-requests-open',
      address: `${at}/${request}`,
      isForStranger: false,
      act: open,
    },
    { name: 'console-connection-requests-none', address: `${at}?status=5`, isForStranger: false },
  ];
}

/** Draws the pages in one language, for its owner, who is invited with it. */
export async function drawAll(
  stack: RunningStack,
  browser: Browser,
  { issuer, institution, ids }: DemoBook,
  fresh: Issuer,
  language: View['language'],
  wanted: readonly string[],
): Promise<Map<string, string[]>> {
  const view = { language, width: 1280, height: 900 };
  const email = `owner-${language}@pinkas.localhost`;
  for (const { business } of [issuer, institution, fresh]) {
    await stack.pinkas('person', 'invite', email, '--business', business.id, '--role', 'owner');
  }
  const owner = await ConsoleVisitor.open(stack, browser, view);
  const stranger = await ConsoleVisitor.open(stack, browser, view);
  await owner.signIn(email);
  const people = await stack.pinkas<{ person_id: string; email: string }[]>(
    ...['person', 'list', '--business', issuer.business.id],
  );
  const { url } = await stack.pinkas<{ url: string }>('person', 'link', email);
  // One has been transmitted, the other may be.
  await transmitExport(owner, issuer.business.id, await makeUniformExport(owner, issuer.business.id));
  const file = await makeUniformExport(owner, issuer.business.id);
  const person = people.find((each) => each.email === email)?.person_id ?? '';
  const kept = await keepInvitation(stack, issuer.business.id, person);
  const draft = await saveDraft(owner, issuer.business.id, 'לקוח לדוגמה בע"מ');
  await sendEachMonth(owner, issuer.business.id, person);
  const billed = ids['/documents/:id/withheld'] ?? '';
  await recordWithheld(owner, issuer.business.id, billed);
  const drawn = new Map<string, string[]>();
  const pages = [
    ...pagesOf(issuer.business.id, {
      ...ids,
      '/documents/sending/:id': await sendQuotes(owner, issuer.business.id),
      '/exports/:id/report': file,
      '/exports/:id/transmission': file,
      '/forms/:form': kept,
      '/issue/drafts/:draft': draft,
      '/issue/drafts/:draft/confirm': draft,
      '/people/:person': people.find((person) => person.email.startsWith('bookkeeper'))?.person_id ?? '',
      '/sign-in/link/:token': new URL(url).pathname.split('/').at(-1) ?? '',
    }),
    { name: 'console-new-today', address: `/b/${fresh.business.id}`, isForStranger: false },
    ...donationPages(institution.business.id),
    ...withheldPages(issuer.business.id, billed),
    ...requestPages(issuer.business.id, ids['/connection/requests/:id'] ?? ''),
    { name: 'console-nowhere', address: `/b/${issuer.business.id}/nowhere`, isForStranger: false },
    {
      name: 'console-issue-quote',
      address: `/b/${issuer.business.id}/issue/document?type=quote`,
      isForStranger: false,
    },
  ].filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
  for (const [index, page] of pages.entries()) {
    drawn.set(page.name, await draw(page.isForStranger ? stranger : owner, page, language));
    process.stdout.write(`${language} ${index + 1}/${pages.length} ${page.name}\n`);
  }
  return drawn;
}

/** Writes the page with all pictures. @returns its path. */
export async function writeIndex(drawn: readonly Map<string, string[]>[]): Promise<string> {
  const names = [...new Set(drawn.flatMap((pages) => [...pages.keys()]))];
  const sections = names.map((name) => {
    const files = drawn.flatMap((pages) => pages.get(name) ?? []);
    const pictures = files.map(
      (file) => `<a href="${file}"><img src="${file}" alt="${file}" loading="lazy"></a>`,
    );
    return `<section id="${name}"><h2>${name}</h2><div>${pictures.join('')}</div></section>`;
  });
  const index = join(folder, 'console.html');
  await writeFile(
    index,
    `<!doctype html><html lang="en">
<meta charset="utf-8">
<title>Console · Gallery · Pinkas</title>
<style>
body{font:16px system-ui,sans-serif;margin:2rem;background:#e9ecf0}
div{display:flex;flex-wrap:wrap;gap:1rem;align-items:start}
img{max-width:26rem;max-height:40rem;box-shadow:0 1px 4px #0004}
</style>
<h1>Console</h1>
${sections.join('')}
</html>`,
  );
  return index;
}
