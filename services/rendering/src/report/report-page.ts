import { Markup } from '@pinkas/ui';
import { type SourceText, sourceTexts, unescaped } from '../document/source-texts.js';

/** A page of a report, and what the properties of its file say. */
interface ReportPage {
  /** The page as it is printed. */
  readonly page: string;
  readonly title: string;
  readonly author: string;
  readonly language: 'he' | 'en';
  readonly texts: readonly SourceText[];
}

/** @param fallback the title of a page that has none. */
export function readReportPage(html: string, fallback: string): ReportPage {
  const language = /<html[^>]*\slang="en"/.test(html) ? 'en' : 'he';
  // Chromium leaves empty cells out of its tags, and the next cells of the row would move below other heads.
  const page = html.replace(/(<t([dh])\b[^>]*>)\s*<\/t\2>/g, '$1&nbsp;</t$2>');
  return {
    page,
    title: unescaped(/<title>([^<]*)<\/title>/.exec(html)?.[1] ?? '') || fallback,
    author: unescaped(/<meta name="author" content="([^"]*)"/.exec(html)?.[1] ?? ''),
    language,
    texts: sourceTexts(new Markup(page.slice(Math.max(0, page.indexOf('<body')))), language),
  };
}
