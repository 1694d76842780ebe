#!/usr/bin/env bash
# Two common bidi libraries order Hebrew lines right and leave their brackets the wrong way round.
#
# Packages  python-bidi 0.6.12 (PyPI), bidi-js 1.1.0 (npm)
# Expected  Both make the visual line for programs that draw from left to right alone; brackets in a right-to-left run are mirrored
#           (UAX 9, rule L4), by python-bidi itself, and by bidi-js with `getMirroredCharactersMap(text, embeddingLevels)`.
# Seen      Letters and figures are right in all cases. python-bidi has two functions of one name: that of `bidi.algorithm`
#           (Python) mirrors, that of `bidi` (Rust) does not: `מע"מ (18%)` becomes `)18%( מ"עמ`. The call of
#           bidi-js returns an empty map when it gets what `getEmbeddingLevels` returned, as its README passes it: it needs `.levels`
#           of that. 2026-11-29.
# Matters   On a printed document the brackets around a rate, a company's form or a VAT number open away from their content. No test
#           that compares letters or figures finds it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check python-bidi==0.6.12
echo '{"private":true}' > package.json
npm install --silent --no-audit --no-fund bidi-js@1.1.0
cat > run.mjs <<'JS'
import factory from 'bidi-js';

const bidi = factory();
const visual = (line, levels, mirrored) => bidi.getReorderedIndices(line, levels).map((i) => mirrored.get(i) ?? line[i]).join('');
const lines = JSON.parse(process.argv[2]).map((line) => {
  const levels = bidi.getEmbeddingLevels(line, 'rtl');
  return [levels, levels.levels].map((passed) => visual(line, levels, bidi.getMirroredCharactersMap(line, passed)));
});
console.log(JSON.stringify(lines));
JS
cat > run.py <<'PY'
import json
import subprocess
import bidi
import bidi.algorithm

lines = ['סה"כ לתשלום: 1,170.00 ₪', 'מע"מ (18%)', 'ע.מ. 51-123456-7 (בע"מ)', 'הנחה [5%] על פריט X-100']
node = ['node', 'run.mjs', json.dumps(lines)]
javascript = json.loads(subprocess.run(node, check=True, capture_output=True, text=True).stdout)
turned = str.maketrans('()[]', ')(][')
as_described = True
for line, (by_readme, by_levels) in zip(lines, javascript):
    rust = bidi.get_display(line, base_dir='R')
    python = bidi.algorithm.get_display(line, base_dir='R')
    print(line)
    print(f'  mirrored   bidi.algorithm {python}   bidi-js (.levels) {by_levels}')
    print(f'  not        bidi           {rust}   bidi-js (README)  {by_readme}')
    as_described = as_described and python == by_levels and rust == by_readme == python.translate(turned)
raise SystemExit(0 if as_described else 1)
PY
venv/bin/python run.py
