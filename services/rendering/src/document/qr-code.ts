import { crc32, deflateSync } from 'node:zlib';
import { html, type Markup } from '@pinkas/ui';
import encodeQR from 'qr';

/** Light modules around a code, by which a reader finds it (ISO/IEC 18004, 9.1). */
const quietModules = 4;
/** Pixels of a module's side: a program that smooths pictures must leave its corners. */
const modulePixels = 4;

/**
 * An address as a QR code. Error correction M: the code is small, and paper is folded. It is a picture, since Chromium and the
 * writer of the file would take each line of a drawing apart.
 * @param label what it is to those who do not see it.
 */
export function qrCode(address: string, label: string): Markup {
  const modules = encodeQR(address, 'raw', { ecc: 'medium', border: quietModules });
  const png = blackAndWhitePng(modules).toString('base64');
  return html`<img class="code" alt="${label}" src="data:image/png;base64,${png}">`;
}

/** A PNG of one bit a pixel (ISO/IEC 15948). @param modules rows of squares; true is black. */
function blackAndWhitePng(modules: readonly (readonly boolean[])[]): Buffer {
  const side = modules.length * modulePixels;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.writeUInt8(1, 8);
  const rows = modules.flatMap((modulesOfRow) => {
    // A byte that names no filter comes first.
    const row = Buffer.alloc(1 + Math.ceil(side / 8));
    for (let x = 0; x < side; x += 1) {
      if (!modulesOfRow[Math.floor(x / modulePixels)]) {
        row[1 + (x >> 3)] = (row[1 + (x >> 3)] ?? 0) | (0x80 >> (x & 7));
      }
    }
    return Array<Buffer>(modulePixels).fill(row);
  });
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, contents: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), contents]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(contents.length, 0);
  named.copy(framed, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}
