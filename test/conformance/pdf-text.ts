import { execFile } from 'node:child_process';

/** The marks of direction that a reader does not see. */
const directionMarks = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text of a PDF file, in the order in which a reader meets it, with single spaces and line breaks. */
export function textOfPdf(pdf: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const tool = execFile('pdftotext', ['-', '-'], { timeout: 60_000 }, (error, text) =>
      error ? reject(error) : resolve(text.replaceAll(directionMarks, '').replaceAll(/ +/g, ' ')),
    );
    tool.stdin?.end(pdf);
  });
}
