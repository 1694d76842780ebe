import { mkdir } from 'node:fs/promises';
import { launchBrowser } from '../harness/console-visitor.js';
import { RunningStack } from '../harness/running-stack.js';
import { makeDemoBook } from './demo-book.js';
import { drawAll, folder, writeIndex } from './draw-console.js';

/*
 * Draws every page of the console, with a book of demo data, and writes a page with all of them to look at. `npm run gallery`
 * runs it after documents and emails, with the same parts of names: `npm run gallery -- console-debts`.
 */

/** The longest that a gallery of all pages takes on a busy machine. */
const timeoutMs = 15 * 60_000;
const wanted = process.argv.slice(2);

if (wanted.length === 0 || wanted.some((part) => part.startsWith('console'))) {
  await mkdir(folder, { recursive: true });
  const timer = setTimeout(() => {
    process.stderr.write(`the gallery of the console takes longer than ${timeoutMs / 60_000} minutes\n`);
    process.exit(1);
  }, timeoutMs);
  process.stdout.write('the console: a system starts, and a book is filled\n');
  const [stack, browser] = await Promise.all([RunningStack.start(), launchBrowser()]);
  try {
    const book = await makeDemoBook(stack);
    const fresh = await stack.newIssuer({ name: 'עסק חדש לדוגמה' });
    const drawn = await Promise.all([
      drawAll(stack, browser, book, fresh, 'he', wanted),
      drawAll(stack, browser, book, fresh, 'en', wanted),
    ]);
    process.stdout.write(`${await writeIndex(drawn)}\n`);
  } finally {
    await browser.close();
    await stack.stop();
    clearTimeout(timer);
  }
}
