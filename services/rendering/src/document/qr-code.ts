import { Markup as Drawing, html, type Markup } from '@pinkas/design';
import encodeQR from 'qr';

/** Light modules around a code, by which a reader finds it (ISO/IEC 18004, 9.1). */
const quietModules = 4;

/**
 * An address as a QR code, drawn in one path. Error correction M: the code is small, and paper is folded.
 * @param label what it is to those who do not see it.
 */
export function qrCode(address: string, label: string): Markup {
  const modules = encodeQR(address, 'raw', { ecc: 'medium', border: quietModules });
  const path = modules.map(rowPath).join('');
  const size = modules.length;
  return html`<svg class="code" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path d="${new Drawing(path)}"/></svg>`;
}

/** The dark runs of a row, each as a rectangle of one module's height. */
function rowPath(row: readonly boolean[], y: number): string {
  let path = '';
  for (let x = 0; x < row.length; x += 1) {
    const from = x;
    while (row[x] === true) {
      x += 1;
    }
    if (x > from) {
      path += `M${from} ${y}h${x - from}v1h-${x - from}z`;
    }
  }
  return path;
}
