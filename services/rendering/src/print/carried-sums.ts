import { fromShekels, sum } from '@pinkas/domain';
import { type ChromiumFile, rowPages } from '@pinkas/pdf';
import { type Carried, type DocumentPage, printablePage } from '../document/printable-page.js';
import { paymentsComeFirst, type Sheet, showsLinePrices } from '../document/sheet.js';
import type { Typeface } from '../typeface/typeface.js';

/** Renders a page to PDF. */
type RenderPage = (page: DocumentPage) => Promise<ChromiumFile>;

/** A rendered document, with the texts of its page. */
export interface RenderedSheet {
  readonly file: ChromiumFile;
  readonly texts: DocumentPage['texts'];
}

/**
 * Renders a document. Where its lines go on on further pages, it is rendered once more with the sums that are carried there: where a
 * page ends is only known of what was rendered, and the sums are in the margins, so that nothing moves.
 */
export async function renderSheet(
  sheet: Sheet,
  nonce: string,
  typeface: Typeface,
  render: RenderPage,
): Promise<RenderedSheet> {
  const page = printablePage(sheet, nonce, typeface);
  const { texts } = page;
  const file = await render(page);
  const carried = carriedSums(sheet, file);
  // The sums are in the margins, not among the texts.
  return carried.some((amount) => amount !== null)
    ? { file: await render(printablePage(sheet, nonce, typeface, carried)), texts }
    : { file, texts };
}

/** For each page the sum of the lines on the pages before it, where the page has lines; else null. */
function carriedSums(sheet: Sheet, file: ChromiumFile): Carried {
  if (file.pages.length === 1 || !showsLinePrices(sheet)) {
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
