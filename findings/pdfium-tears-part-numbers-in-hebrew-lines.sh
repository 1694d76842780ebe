#!/usr/bin/env bash
# PDFium returns `ABC-123` in a Hebrew line as `-123ABC`; pypdf moves each figure to the front of its line and drops spaces.
#
# Packages  pypdfium2 5.15.2 and pypdf 7.1.1 (PyPI), pdfjs-dist 5.6.205 (npm), on a PDF of fpdf2 2.8.9 with uharfbuzz 0.57.0 and the
#           font DejaVu Sans of matplotlib 3.11.2 (PyPI)
# Expected  Readers that put Hebrew in reading order leave a Latin part number as it is drawn: left to right, in one piece.
# Seen      The page is drawn right (poppler's picture of it shows so), and pdf.js returns each line as it reads. PDFium has the words in
#           order, and takes the hyphen and the digits behind Latin letters for a number of the Hebrew text: `פריט ABC-123 כחול`
#           becomes `פריט -123ABC כחול`, and `X-100` is `-100X`, which reads as a negative. Numbers, dates and amounts alone stay. pypdf
#           turns each Hebrew word round and keeps the visual order of the runs: `1042 חשבונית מס`, `כחולABC-123 פריט`. 2026-11-29.
# Matters   Chrome's viewer and many programs for invoices are PDFium: a part number that is copied or matched from a Hebrew line is
#           none. In a cell of its own without Hebrew it comes out whole.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pypdfium2==5.15.2 pypdf==7.1.1 fpdf2==2.8.9 uharfbuzz==0.57.0 matplotlib==3.11.2
echo '{"private":true}' > package.json
npm install --silent --no-audit --no-fund pdfjs-dist@5.6.205
cat > run.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

const { promise } = getDocument({ data: new Uint8Array(readFileSync('lines.pdf')), verbosity: 0 });
const { items } = await (await (await promise).getPage(1)).getTextContent();
console.log(JSON.stringify(items.map(({ str }) => str.trim()).filter((text) => text !== '')));
JS
cat > run.py <<'PY'
import json
import os
import subprocess
import fpdf
import matplotlib
import pypdf
import pypdfium2

lines = ['חשבונית מס 1042', 'תאריך 12/06/2026', 'פריט ABC-123 כחול', 'הנחה 5% על X-100', 'ABC-123']
pdf = fpdf.FPDF()
pdf.add_page()
pdf.add_font('DejaVu', '', os.path.join(matplotlib.get_data_path(), 'fonts/ttf/DejaVuSans.ttf'))
pdf.set_font('DejaVu', size=14)
pdf.set_text_shaping(True)
for line in lines:
    pdf.cell(0, 10, line, align='R', new_x='LMARGIN', new_y='NEXT')
pdf.output('lines.pdf')

clean = lambda text: [line.strip() for line in text.splitlines() if line.strip()]
seen = {
    'PDFium': clean(pypdfium2.PdfDocument('lines.pdf')[0].get_textpage().get_text_range()),
    'pypdf': clean(pypdf.PdfReader('lines.pdf').pages[0].extract_text()),
    'pdf.js': json.loads(subprocess.run(['node', 'run.mjs'], check=True, capture_output=True, text=True).stdout),
}
for reader, texts in seen.items():
    print(reader, *texts, sep='\n  ')
as_described = (
    seen['pdf.js'] == lines
    and seen['PDFium'] == [*lines[:2], 'פריט -123ABC כחול', 'הנחה 5% על -100X', 'ABC-123']
    and seen['pypdf'][:3] == ['1042 חשבונית מס', '12/06/2026 תאריך', 'כחולABC-123 פריט']
    and seen['pypdf'][4] == 'ABC-123'
)
raise SystemExit(0 if as_described else 1)
PY
NODE_NO_WARNINGS=1 venv/bin/python run.py 2> warnings
