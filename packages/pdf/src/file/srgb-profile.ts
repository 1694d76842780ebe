/** Numbers as an ICC profile writes them: 32 bits, 16 of them behind the point. */
function fixed(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) {
    bytes.writeInt32BE(Math.round(value * 65_536), 4 * index);
  }
  return bytes;
}

/** An element of a profile: its type and its value, to a multiple of four bytes. */
function element(type: string, ...values: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat([Buffer.from(type, 'latin1'), Buffer.alloc(4), ...values]);
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
}

/** A text in English (ICC.1, `multiLocalizedUnicodeType`). */
function localized(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf16le').swap16();
  const head = Buffer.alloc(20);
  head.writeUInt32BE(1, 0);
  head.writeUInt32BE(12, 4);
  head.write('enUS', 8, 'latin1');
  head.writeUInt32BE(bytes.length, 12);
  head.writeUInt32BE(28, 16);
  return element('mluc', head, bytes);
}

/** A function of the fourth kind without offsets: (a·x + b)^g from d upwards, below it c·x. */
function curve(g: number, a: number, b: number, c: number, d: number): Buffer {
  return element('para', Buffer.from([0, 3, 0, 0]), fixed(g, a, b, c, d));
}

const xyz = (x: number, y: number, z: number) => element('XYZ ', fixed(x, y, z));

/** The illuminant of every profile, D50. */
const d50 = [0.9642, 1, 0.8249] as const;

/**
 * The colors of the documents as an ICC profile of version 4 (ICC.1:2004-10): sRGB by its definition in IEC 61966-2-1, with the
 * primaries adapted from D65 to D50 by the Bradford matrix that the profile states. PDF/A wants it for plain RGB.
 */
function makeProfile(): Buffer {
  const transfer = curve(2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045);
  const elements: readonly (readonly [names: readonly string[], value: Buffer])[] = [
    [['desc'], localized('sRGB')],
    [['cprt'], localized('No copyright')],
    [['wtpt'], xyz(...d50)],
    [
      ['chad'],
      element(
        'sf32',
        fixed(1.04788, 0.02292, -0.05022, 0.02959, 0.99048, -0.01707, -0.00925, 0.01508, 0.75168),
      ),
    ],
    [['rXYZ'], xyz(0.43607, 0.22249, 0.01392)],
    [['gXYZ'], xyz(0.38515, 0.71687, 0.09708)],
    [['bXYZ'], xyz(0.14307, 0.06061, 0.7141)],
    [['rTRC', 'gTRC', 'bTRC'], transfer],
  ];
  const names = elements.flatMap(([own]) => own);
  const table = Buffer.alloc(4 + 12 * names.length);
  table.writeUInt32BE(names.length, 0);
  let row = 4;
  let at = 128 + table.length;
  for (const [own, value] of elements) {
    for (const name of own) {
      table.write(name, row, 'latin1');
      table.writeUInt32BE(at, row + 4);
      table.writeUInt32BE(value.length, row + 8);
      row += 12;
    }
    at += value.length;
  }
  const head = Buffer.alloc(128);
  head.writeUInt32BE(at, 0);
  head.writeUInt32BE(0x04200000, 8);
  head.write('mntrRGB XYZ ', 12, 'latin1');
  // A date is required: that of the specification.
  for (const [index, part] of [2004, 10, 1, 0, 0, 0].entries()) {
    head.writeUInt16BE(part, 24 + 2 * index);
  }
  head.write('acsp', 36, 'latin1');
  fixed(...d50).copy(head, 68);
  return Buffer.concat([head, table, ...elements.map(([, value]) => value)]);
}

/** sRGB as an ICC profile. */
export const srgbProfile: Buffer = makeProfile();
