/** A PDF in the form that Chromium writes, with a stream, two pages, and tags that are named after what it laid out. */
export function chromiumPdf(
  title: string,
  change: { producer?: string; firstNode?: number; page?: string; catalog?: string } = {},
): Buffer {
  const { producer = '/Producer (Skia/PDF m156)', firstNode = 7, page = '', catalog = '' } = change;
  const node = (index: number) => `(node${String(firstNode + index).padStart(8, '0')})`;
  const bodies = [
    `<</Title (${title})\n/Creator (Chromium)\n${producer}\n/CreationDate (D:20260308093000+00'00')>>`,
    `<</Type /Page\n/Contents 4 0 R\n/Parent 5 0 R\n/MediaBox [0 0 595 842]${page}>>`,
    '<</Type /Page\n/Parent 5 0 R\n/MediaBox [0 0 595 842]>>',
    '<</Length 12>> stream\nBT (Hi) Tj E\nendstream',
    '<</Type /Pages\n/Count 2\n/Kids [2 0 R 3 0 R]>>',
    `<</Type /StructElem\n/S /P\n/ID ${node(90)}>>`,
    `<</Type /StructElem\n/S /P\n/ID ${node(0)}>>`,
    `<</Type /Catalog\n/Pages 5 0 R${catalog}\n/Lang (he)>>`,
  ];
  let file = '%PDF-1.4\n%\xd3\xeb\xe9\xe1\n';
  const places = bodies.map((body, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return at;
  });
  const table = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const tableAt = file.length;
  file += `xref\n0 ${bodies.length + 1}\n0000000000 65535 f \n${table}trailer\n<</Size ${bodies.length + 1}\n/Root 8 0 R\n/Info 1 0 R>>\nstartxref\n${tableAt}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}
