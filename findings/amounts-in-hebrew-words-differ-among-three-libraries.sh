#!/usr/bin/env bash
# Three libraries write an amount in Hebrew words in three ways, one of them a hundredth of what JSON has.
#
# Packages  num2words 0.5.14 (PyPI), n2words 4.0.0 and to-words 5.7.0 (npm)
# Expected  `2000` and `1170.5` of a JSON document become "two thousand shekels" and "1,170 shekels and 50 agorot", the numbers in
#           the masculine, as שקל is, and those of אגורה in the feminine.
# Seen      num2words takes an integer for agorot: JSON writes whole amounts without a point, Python reads them as int, and 2000 is
#           עשרים שקלים, while 1170.5 is right. Its genders are right. n2words has the masculine up to ten, but שניים שקלים for שני
#           שקלים, and from 11 to 19 the feminine (אחת עשרה שקלים). to-words has the feminine throughout (שלוש שקלים), puts the one
#           before its noun (אחת שקל), and composes 1170 of its digits (אלף ו אחת מאה ו שבעים), with each ו as a word. 2026-11-29.
# Matters   Checks and receipts state their amount in words. Who passes the members of a JSON document to num2words needs `float` or
#           `Decimal` first; the words of the other two cannot be printed on a check as they are.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check num2words==0.5.14
echo '{"private":true}' > package.json
npm install --silent --no-audit --no-fund n2words@4.0.0 to-words@5.7.0
cat > run.mjs <<'JS'
import { toCurrency } from 'n2words/he-IL';
import { ToWords } from 'to-words';

const toWords = new ToWords({ localeCode: 'he-IL' });
console.log(JSON.stringify(JSON.parse(process.argv[2]).map((amount) => [toCurrency(amount), toWords.convert(amount, { currency: true })])));
JS
cat > run.py <<'PY'
import json
import subprocess
from num2words import num2words

text = '[1, 2, 3, 11, 2000, 1170.5]'
node = ['node', 'run.mjs', text]
javascript = json.loads(subprocess.run(node, check=True, capture_output=True, text=True).stdout)
seen = {}
for amount, (n2words, to_words) in zip(json.loads(text), javascript):
    python, as_float = [num2words(value, lang='he', to='currency', currency='ILS') for value in (amount, float(amount))]
    seen[amount] = [python, as_float, n2words, to_words]
    print(f'{amount}\n  num2words         {python}\n  num2words (float) {as_float}\n  n2words           {n2words}\n  to-words          {to_words}')
as_described = (
    seen[2000][0] == 'עשרים שקלים ואפס אגורות'
    and seen[2000][1] == 'אלפיים שקלים ואפס אגורות'
    and seen[1170.5][0] == seen[1170.5][1] == 'אלף מאה ושבעים שקלים וחמישים אגורות'
    and seen[2][2] == 'שניים שקלים'
    and seen[11][2] == 'אחת עשרה שקלים'
    and seen[1][3].startswith('אחת שקל')
    and seen[3][3].startswith('שלוש שקלים')
    and seen[1170.5][3].startswith('אלף ו אחת מאה ו שבעים שקלים')
)
raise SystemExit(0 if as_described else 1)
PY
venv/bin/python run.py
