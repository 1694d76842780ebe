import { describe, expect, it } from '@jest/globals';
import { chromiumPdf } from '../../test/chromium-pdf.js';
import { InvalidPdfError, readChromiumFile } from './chromium-file.js';

const whole = chromiumPdf('1042');
const text = whole.toString('latin1');
const changed = (from: string, to: string) => Buffer.from(text.replace(from, to), 'latin1');

describe('readChromiumFile', () => {
  it('a file of Chromium is read with its objects and its pages in order', () => {
    const file = readChromiumFile(whole);
    expect(file).toMatchObject({ catalog: 8, information: 1, pages: [2, 3] });
    expect(file.objects.size).toBe(8);
    expect(file.objects.get(4)?.toString()).toBe('<</Length 12>> stream\nBT (Hi) Tj E\nendstream');
  });

  it.each<[string, Buffer]>([
    ['that is empty', Buffer.alloc(0)],
    ['that is something else', Buffer.from('<html>Welcome to the proxy</html>')],
    ['whose end is missing', whole.subarray(0, -6)],
    ['that lacks a byte of its middle', Buffer.concat([whole.subarray(0, 300), whole.subarray(301)])],
    ['that has a byte too many', Buffer.concat([whole.subarray(0, 300), whole.subarray(299)])],
    ['that is a half and an end', Buffer.concat([whole.subarray(0, 400), whole.subarray(-40)])],
    ['whose stream has another length', changed('/Length 12', '/Length 11')],
    ['whose object is another', changed('3 0 obj', '9 0 obj')],
    ['whose table has a wrong offset', changed('0000000015 00000 n', '0000000016 00000 n')],
    ['that has no page', changed('/Kids [2 0 R 3 0 R]', '/Kids []           ')],
    ['whose page tree has a cycle', changed('/Kids [2 0 R 3 0 R]', '/Kids [5 0 R 5 0 R]')],
    ['that lacks its catalog', changed('/Root 8 0 R', '/Root 9 0 R')],
  ])('a file is rejected %s', (_what, bytes) => {
    expect(() => readChromiumFile(bytes)).toThrow(InvalidPdfError);
  });

  it('a file is rejected wherever it is cut', () => {
    // The last byte is a line end, which nothing depends on.
    for (let length = 0; length < whole.length - 1; length += 1) {
      expect(() => readChromiumFile(whole.subarray(0, length))).toThrow(InvalidPdfError);
    }
  });
});
