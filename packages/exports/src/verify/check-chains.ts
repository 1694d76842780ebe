import {
  auditSeries,
  type Call,
  type ChainHead,
  type ChainPosition,
  type ReplyOf,
  type ServiceName,
  serviceNames,
  trailPageMax,
  trails,
} from '@pinkas/contracts';
import { type DocumentType, documentTypes } from '@pinkas/domain';
import type { Finding } from './checks.js';
import { type CompareChain, type Heads, withoutHeads } from './heads-comparison.js';
import { pagesOf } from './pages-of.js';

/** The result of following the chains of one business. */
interface ChainsResult {
  readonly findings: readonly Finding[];
  readonly documents: number;
  readonly entries: number;
}

type SeriesPage = ReplyOf<typeof auditSeries>;
type TrailPage = ReplyOf<(typeof trails)[ServiceName]['listTrailEntries']>;

/** A part of a series: behind a document, up to a number; null: from the first, and to the last. */
export interface SeriesPart {
  readonly type: DocumentType;
  readonly after: ChainPosition | null;
  readonly until: number | null;
}

/** Follows the chain of every series and of every trail of a business, or of parts of series. Only what is found twice counts: the book is in use. */
export async function checkChains(
  call: Call,
  businessId: string,
  heads: Heads = withoutHeads,
  parts: readonly SeriesPart[] | null = null,
): Promise<ChainsResult> {
  return heads.follow(businessId, async (compare) => {
    const first = await followAll(call, businessId, compare, parts);
    if (first.findings.length === 0) {
      return first;
    }
    const second = await followAll(call, businessId, compare, parts);
    const again = new Set(second.findings.map(keyOf));
    return { ...second, findings: first.findings.filter((finding) => again.has(keyOf(finding))) };
  });
}

async function followAll(
  call: Call,
  businessId: string,
  compare: CompareChain,
  parts: readonly SeriesPart[] | null,
): Promise<ChainsResult> {
  const series = [];
  for (const part of parts ?? documentTypes.map((type) => ({ type, after: null, until: null }))) {
    series.push(await followSeries(call, businessId, part, compare));
  }
  const isLast = parts?.every(({ until }) => until === null) ?? true;
  const followed = await Promise.all(
    (isLast ? serviceNames : []).map((service) => followTrail(call, businessId, service, compare)),
  );
  return {
    findings: [...series, ...followed].flatMap(({ findings }) => findings),
    documents: series.reduce((sum, { documents }) => sum + documents, 0),
    entries: followed.reduce((sum, { entries }) => sum + entries, 0),
  };
}

async function followSeries(
  call: Call,
  businessId: string,
  { type, after: from, until }: SeriesPart,
  compare: CompareChain,
) {
  const findings: Finding[] = [];
  let head: ChainHead | null = null;
  let isHeadFound = false;
  let documents = 0;
  const comparison = compare('issuing', businessId, type);
  let after: ChainPosition | null = from && { number: from.number, id: from.id, hash: from.hash };
  let isFirst = true;
  do {
    const page: SeriesPage = await call(auditSeries, {
      business_id: businessId,
      type,
      after,
      limit: trailPageMax,
    });
    if (isFirst && until === null) {
      head = page.head;
      // No document may have come since.
      isHeadFound = head !== null && head.n === from?.number && head.hash === from.hash;
    }
    isFirst = false;
    findings.push(...findingsOf(type, page));
    for (const { number, hash } of page.documents) {
      isHeadFound ||= number === head?.n && hash === head.hash;
      comparison.see({ n: number, hash });
      documents += 1;
    }
    after = page.next_after;
  } while (after !== null && (until === null || after.number < until));
  const messages = comparison.messages();
  if (head !== null && !isHeadFound) {
    messages.push(`the book has no document ${head.n} with the hash that its series ends with`);
  }
  findings.push(
    ...messages.map(
      (message): Finding => ({ check: 'chain', document_id: null, type, number: null, message }),
    ),
  );
  return { findings, documents };
}

/** What issuing has found of the sums and the documents of a page. */
function findingsOf(type: DocumentType, page: SeriesPage): Finding[] {
  const sums = page.wrong_sums.map(({ sums: table, date }): Finding => {
    const of = date === null ? 'the sums of the debts of customers' : `${sumsOf[table]} ${date}`;
    const message = `${of} are not those of its documents`;
    return { check: 'sums', document_id: null, type, number: null, message };
  });
  const documents = page.documents.flatMap(({ id, number, findings }) =>
    findings.map((message): Finding => ({ check: 'chain', document_id: id, type, number, message })),
  );
  return [...sums, ...documents];
}

/** What each table has, before its date. */
const sumsOf = {
  document_sum: 'the sums of',
  payment_sum: 'the sums of payments of',
  account_sum: 'the sums of customers in the month of',
  debt_sum: 'the sums of debts that are due on',
} as const satisfies Record<SeriesPage['wrong_sums'][number]['sums'], string>;

/** Follows the trail of a business in one service. */
export async function followTrail(
  call: Call,
  businessId: string,
  service: ServiceName,
  compare: CompareChain,
) {
  const findings: Finding[] = [];
  const finding = (message: string) =>
    findings.push({ check: 'trail', document_id: null, type: null, number: null, message });
  let head: ChainHead | null = null;
  let isHeadFound = false;
  let entries = 0;
  const comparison = compare(service, businessId, null);
  for await (const page of trailPages(call, businessId, service)) {
    head ??= page.head;
    for (const entry of page.entries) {
      entries += 1;
      if (entry.finding !== null) {
        finding(`entry ${entry.n} of ${service} (${entry.action}): ${entry.finding}`);
      }
      isHeadFound ||= entry.n === head?.n && entry.hash === head.hash;
      comparison.see(entry);
    }
  }
  for (const message of comparison.messages()) {
    finding(`${service}: ${message}`);
  }
  if (head !== null && !isHeadFound) {
    finding(`${service} has no entry ${head.n} with the hash that its trail ends with`);
  }
  if (head === null && entries > 0) {
    finding(`${service} does not know where its trail ends`);
  }
  return { findings, entries };
}

/** The pages of a business's trail in one service, the oldest entry first. */
export const trailPages = (call: Call, businessId: string, service: ServiceName): AsyncGenerator<TrailPage> =>
  pagesOf(call, trails[service].listTrailEntries, {
    business_id: businessId,
    after: null,
    limit: trailPageMax,
  });

const keyOf = ({ check, document_id, type, message }: Finding): string =>
  JSON.stringify([check, document_id, type, message]);
