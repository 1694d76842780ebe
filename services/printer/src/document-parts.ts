/** A document in the one form whose head may stay in the page for the next one. */
export interface DocumentParts {
  /** Everything before the body but the title. */
  readonly head: string;
  readonly title: string;
  readonly body: string;
}

/** There is one way to parse it. A title is set as it is, so that it may have no entity. */
const start =
  /^(<!doctype html>\s*<html lang="\w+" dir="\w+"><head><meta charset="utf-8"><title>)([^<&\r\0]*)(<\/title><style>[^<]*<\/style><\/head><body>)/;
const end = '</body></html>';
/** Any element but those that neither change what is outside of the body nor load anything; a picture has its bytes with it. */
const otherElement =
  /<(?!\/?(?:article|bdi|d[dlt]|div|h[1-6r]|header|img|li|ol|p|section|small|span|strong|table|t(?:body|d|foot|h|head|r)|ul)[\s>]|\/?style>)/i;
/** What loads something, in an attribute or a style. */
const loading =
  /\bsrc(?!="data:image\/(?:gif|jpeg|png|webp);base64,)|\bbackground\s*=|url\(|image-set|@import/i;

/** Takes a document apart; undefined where it is not in that form. */
export function partsOf(html: string): DocumentParts | undefined {
  const [before = '', opening = '', title = '', style = ''] = start.exec(html) ?? [];
  const content = html.slice(before.length, -end.length);
  if (before === '' || !html.endsWith(end) || otherElement.test(content) || loading.test(content)) {
    return undefined;
  }
  // With its end tags: what the content leaves open ends as in the document itself.
  return { head: opening + style, title, body: content + end };
}
