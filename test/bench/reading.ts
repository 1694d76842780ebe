import { randomUUID } from 'node:crypto';
import { documentTypes } from '@pinkas/domain';
import { sql } from 'kysely';
import { Caller, type Issuer, newIssuer } from './callers.js';
import { fillBook, withDatabase } from './filled-book.js';
import { startFloor } from './floor/processes.js';
import { type Counted, inLanes, timed } from './lanes.js';
import { figure, percentile, type Row } from './report.js';
import type { BenchStack } from './stack.js';

/** As many rows as one statement writes, so that it ends in time: a card has a row for each letter of its name as well. */
const cardPart = 500;
/** The series of the book, beside that of the document that is issued. */
const types = documentTypes.filter((type) => type !== 'quote').slice(0, 8);
/** What the book has copies of. */
const quote = {
  type: 'quote',
  customer: { name: 'לקוח למדידה', tax_id: '777777723', city: 'ירושלים' },
  items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 100 }],
};
const pageLimit = 50;
const warmUpMs = 1_500;
const samples = 400;
const laneCount = 8;
const laneMs = 3_000;

/** One kind of request, under the name that its figures have. */
interface Target {
  name: string;
  meaning: string;
  call(): Promise<unknown>;
}

/** What reading costs beside the floor: `select 1` through the same gateway and one hop over NATS. */
export async function measureReading(
  stack: BenchStack,
  progress: (text: string) => void,
  {
    documents = 1_000_000,
    customers: cards = documents,
  }: {
    documents?: number | undefined;
    customers?: number | undefined;
  },
): Promise<Row[]> {
  const issuer = await newIssuer(stack);
  progress(`writing ${documents} documents and ${cards} customer cards …`);
  const documentId = await fillBook(stack, issuer, { body: quote, types, documents }, progress);
  await fillCards(stack, issuer, cards, progress);
  const floor = await startFloor(stack);
  const caller = new Caller(floor.baseUrl, issuer.key);
  try {
    const targets = targetsOf(caller, documentId, { documents, cards });
    for (const target of targets) {
      await inLanes(laneCount, warmUpMs, () => target.call());
    }
    progress(`${samples} single requests of each kind, in turns …`);
    const latenciesMs = new Map(targets.map((target) => [target, [] as number[]]));
    for (let sample = 0; sample < samples; sample += 1) {
      for (const target of targets) {
        latenciesMs.get(target)?.push(await timed(() => target.call()));
      }
    }
    progress(`${laneCount} requests at once, one kind after the other …`);
    const counted = new Map<Target, Counted>();
    for (const target of targets) {
      counted.set(target, await inLanes(laneCount, laneMs, () => target.call()));
    }
    return rowsOf(targets, latenciesMs, counted);
  } finally {
    caller.close();
    await floor.stop();
  }
}

function targetsOf(
  caller: Caller,
  documentId: string,
  { documents, cards }: { documents: number; cards: number },
): Target[] {
  let searched = 0;
  return [
    {
      name: 'floor',
      meaning: '`select 1` through the gateway and NATS',
      call: () => caller.call(200, '/floor'),
    },
    { name: 'me', meaning: 'GET /v1/me', call: () => caller.call(200, '/me') },
    {
      name: 'get',
      meaning: 'GET /v1/documents/{id}',
      call: () => caller.call(200, `/documents/${documentId}`),
    },
    {
      name: 'list',
      meaning: `GET /v1/documents, a page of ${pageLimit} among ${documents}`,
      call: () => caller.call(200, `/documents?limit=${pageLimit}`),
    },
    {
      name: 'list_one_series',
      meaning: `the same of one of its ${types.length} series`,
      call: () => caller.call(200, `/documents?type=order&limit=${pageLimit}`),
    },
    {
      name: 'customers',
      meaning: `GET /v1/customers, q contains, among ${cards}`,
      // Another text each time: one card, ten, or a hundred of them have it.
      call: () => {
        searched += 1;
        const digits = String((searched * 7919) % cards).padStart(6, '0');
        const text = `למדידה ${digits.slice(0, 4 + (searched % 3))}`;
        return caller.call(200, `/customers?q=${encodeURIComponent(text)}`);
      },
    },
    {
      name: 'refused',
      meaning: 'POST /v1/documents that a rule refuses',
      call: () => {
        const items = [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 100 }];
        const body = { type: 'receipt', customer: { name: 'לקוח למדידה' }, items };
        return caller.call(422, '/documents', { body, headers: { 'idempotency-key': randomUUID() } });
      },
    },
  ];
}

function rowsOf(
  targets: readonly Target[],
  latenciesMs: ReadonlyMap<Target, number[]>,
  counted: ReadonlyMap<Target, Counted>,
): Row[] {
  const median = (target: Target) => percentile(latenciesMs.get(target) ?? [], 0.5);
  return targets.flatMap((target) => {
    const { name, meaning } = target;
    const { done, ms } = counted.get(target) ?? { done: 0, ms: 1 };
    const [floor] = targets as [Target, ...Target[]];
    return [
      figure(`${name}_p50_ms`, median(target), `${meaning}: median, one at a time`),
      figure(`${name}_p99_ms`, percentile(latenciesMs.get(target) ?? [], 0.99), '99th percentile'),
      figure(`${name}_per_s`, done / (ms / 1_000), `a second, ${laneCount} at once`),
      ...(target === floor
        ? []
        : [
            figure(
              `${name}_to_floor_ratio`,
              median(target) / median(floor),
              'its median by that of the floor',
            ),
          ]),
    ];
  });
}

async function fillCards(
  stack: BenchStack,
  issuer: Issuer,
  cards: number,
  progress: (text: string) => void,
): Promise<void> {
  await withDatabase(stack, 'customer', issuer, async (db) => {
    for (let from = 0; from < cards; from += cardPart) {
      if (from % 100_000 === 0) {
        progress(`  ${from} cards`);
      }
      await sql`insert into card (business_id, id, name, name_key, created_at, confirmed_at)
        select ${issuer.business.id}, gen_random_uuid(), name, name, now(), now()
        from (select 'לקוח למדידה ' || lpad(n::text, 6, '0') as name
          from generate_series(${sql.lit(from)}, ${sql.lit(Math.min(from + cardPart, cards) - 1)}) n) as named`.execute(
        db,
      );
    }
  });
}
