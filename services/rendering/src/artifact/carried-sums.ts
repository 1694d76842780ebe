import { fromShekels, sum } from '@pinkas/domain';
import { type Carried, printablePage } from '../document/printable-page.js';
import { paymentsComeFirst, type Sheet, showsPrices } from '../document/sheet.js';
import type { ChromiumFile } from '../pdf/chromium-file.js';
import { rowPages } from '../pdf/row-pages.js';
import type { Typeface } from '../typeface/typeface.js';

/** Renders a page to PDF. */
type RenderPage = (page: ReturnType<typeof printablePage>) => Promise<ChromiumFile>;

/**
 * Renders a document. Where its lines go on on further pages, it is rendered once more with the sums that are carried there: where a
 * page ends is only known of what was rendered, and the sums are in the margins, so that nothing moves.
 */
export async function renderSheet(
  sheet: Sheet,
  nonce: string,
  typeface: Typeface,
  render: RenderPage,
): Promise<ChromiumFile> {
  const file = await render(printablePage(sheet, nonce, typeface));
  const carried = carriedSums(sheet, file);
  return carried.some((amount) => amount !== null)
    ? render(printablePage(sheet, nonce, typeface, carried))
    : file;
}

/** For each page the sum of the lines on the pages before it, where the page has lines; else null. */
export function carriedSums(sheet: Sheet, file: ChromiumFile): Carried {
  if (file.pages.length === 1 || !showsPrices(sheet)) {
    return [];
  }
  const { items, payments } = sheet.document;
  const table = paymentsComeFirst(sheet) && payments.length > 0 ? 1 : 0;
  const pages = rowPages(file, table, items.length);
  return file.pages.map((_, page) => {
    const first = pages.indexOf(page);
    if (first <= 0) {
      return null;
    }
    return sum(items.slice(0, first).map((item) => fromShekels(item.line_total)));
  });
}
