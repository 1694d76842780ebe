/** A text of any language as a PDF writes it (ISO 32000-1, 7.9.2.2): plain where it can be, else UTF-16 in hex. */
export function textString(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) {
    return `(${text.replace(/[\\()]/g, '\\$&')})`;
  }
  return `<feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`;
}

/** An instant as a PDF writes it, in UTC, to the second: `(D:20260308093000Z)`. */
export function pdfDate(instant: Date): string {
  return `(D:${instant.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z)`;
}
