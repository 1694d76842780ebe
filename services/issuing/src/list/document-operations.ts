import { Controller } from '@nestjs/common';
import {
  findDocumentByKey,
  findPublicDocument,
  getDocument,
  getDocumentFacts,
  listArticles,
  listDocuments,
  listMissingDocuments,
  type ReplyOf,
  type RequestOf,
} from '@pinkas/contracts';
import {
  ApiError,
  acrossTenants,
  type Database,
  forTenant,
  InjectDatabase,
  Operation,
  pageOf,
  timelineOf,
} from '@pinkas/service-kit';
import { sql } from 'kysely';
import {
  type DocumentRow,
  findAnywhere,
  findById,
  findByKey,
  findByPublicId,
  missingIds,
} from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import { listedDocument, toDocument, toHead, toState } from '../document/document-row.js';
import { setOffsOf } from '../document/set-off.repository.js';
import { readSettling, settlementDetails, settlementState } from '../document/settlement.repository.js';
import { withheldOf } from '../document/withheld.repository.js';
import { HistoryCheck } from '../health/history-check.js';
import { listIssued } from './document-list.repository.js';

/** The documents whose lines are read: the newest ones, by the index of the list, however large the book is. */
const documentsMax = 300;
const articlesMax = 200;

/** Issued documents, one by one and as a list. */
@Controller()
export class DocumentOperations {
  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    private readonly history: HistoryCheck,
  ) {}

  /** Reads one document of one business. */
  @Operation(getDocument)
  async get(request: RequestOf<typeof getDocument>): Promise<ReplyOf<typeof getDocument>> {
    const { business_id, document_id, detailed, listed } = request;
    const db = forTenant(this.db, business_id);
    const row = await findById(db, business_id, document_id);
    if (!row) {
      throw new ApiError('not_found');
    }
    const document = toDocument(row);
    const state = toState(row);
    const shown = listed ? { listed: listedDocument(row) } : {};
    return detailed
      ? {
          document,
          state: { ...state, ...(await details(db, row)) },
          allocation: row.allocation,
          ...issuerOf(row),
          ...shown,
          ...(await settledBy(db, row)),
        }
      : { document, state, ...shown };
  }

  /** What has become of an idempotency key. */
  @Operation(findDocumentByKey)
  async findByKey({
    business_id,
    idempotency_key,
  }: RequestOf<typeof findDocumentByKey>): Promise<ReplyOf<typeof findDocumentByKey>> {
    const db = forTenant(this.db, business_id);
    const { existing, isInProgress } = await findByKey(db, business_id, idempotency_key);
    return {
      found: existing ? { document: toHead(existing), state: toState(existing) } : null,
      in_progress: isInProgress,
    };
  }

  /** What is sent to the tax authority about a document: an operator names the document alone. */
  @Operation(getDocumentFacts)
  async getFacts({
    business_id: businessId,
    document_id: id,
  }: RequestOf<typeof getDocumentFacts>): Promise<ReplyOf<typeof getDocumentFacts>> {
    const db = businessId === undefined ? acrossTenants(this.db) : forTenant(this.db, businessId);
    const row = await findAnywhere(db, id);
    if (!row) {
      throw new ApiError('not_found');
    }
    const { business, artifact_sha256 } = row;
    return { document: toDocument(row), state: toState(row), business, artifact_sha256 };
  }

  /**
   * Finds the document of a public address, with the business as it was at issue. The address names no business, so the books of
   * all are searched: knowing the address is the permission.
   */
  @Operation(findPublicDocument)
  async findPublic(
    request: RequestOf<typeof findPublicDocument>,
  ): Promise<ReplyOf<typeof findPublicDocument>> {
    const db = acrossTenants(this.db);
    const row = await findByPublicId(db, request.public_id);
    if (!row) {
      throw new ApiError('not_found');
    }
    const { credited = 0, invoices = 0 } =
      (await readSettling(db, row.business_id, [row.id])).get(row.id) ?? {};
    const state = {
      ...toState(row),
      ...(row.cancel_reason !== null && { cancel_reason: row.cancel_reason }),
      ...(credited > 0 && { credited }),
      ...(invoices > 0 && { invoices }),
    };
    const { business, artifact_sha256 } = row;
    return { document: toDocument(row), state, business, artifact_sha256 };
  }

  /** Lists the documents of one business, the one that was committed last first, a page at a time. */
  @Operation(listDocuments)
  async list(request: RequestOf<typeof listDocuments>): Promise<ReplyOf<typeof listDocuments>> {
    const { limit, settlement, ...filter } = request;
    const db = forTenant(this.db, filter.business_id);
    const rows = await listIssued(db, filter, limit + 1);
    const { page, last } = pageOf(rows, limit);
    const ids = settlement === true ? page.map(({ id }) => id) : [];
    const settling = await readSettling(db, filter.business_id, ids);
    return {
      documents: page.map((row) => {
        const facts = settling.get(row.id);
        const listed = listedDocument(row);
        return { ...listed, state: { ...listed.state, ...(facts && settlementState(facts)) } };
      }),
      next_before: last ? last.position : null,
    };
  }

  /**
   * Which of some documents were never issued: what rendering has stored of them is deleted.
   * @throws ApiError `engine_error` where the database has lost documents: they would count as never issued.
   */
  @Operation(listMissingDocuments)
  async listMissing({
    documents,
  }: RequestOf<typeof listMissingDocuments>): Promise<ReplyOf<typeof listMissingDocuments>> {
    const db = acrossTenants(this.db);
    await this.history.requireComplete(db, await timelineOf(db));
    return { document_ids: await missingIds(db, documents) };
  }

  /** Lists what former lines have for each article number, so that no one types it twice. */
  @Operation(listArticles)
  async listArticles({ business_id }: RequestOf<typeof listArticles>): Promise<ReplyOf<typeof listArticles>> {
    const { rows } = await sql<ReplyOf<typeof listArticles>['articles'][number]>`
      with line as (
        select item.sku, item.description, item.unit_price, recent.prices_include_vat, recent.position, item.ordinality
        from (
          select items, prices_include_vat, position from document
          where business_id = ${business_id} order by position desc limit ${documentsMax}
        ) as recent
        cross join lateral (
          select item ->> 'sku' as sku, item ->> 'description' as description,
            (item ->> 'unit_price')::float8 as unit_price, ordinality
          from jsonb_array_elements(recent.items) with ordinality as element (item, ordinality)
        ) as item
        where item.sku is not null
      ),
      latest as (
        select distinct on (sku) * from line order by sku, position desc, ordinality desc
      )
      select sku, description, unit_price, prices_include_vat from latest
      order by position desc, ordinality limit ${articlesMax}`.execute(forTenant(this.db, business_id));
    return { articles: rows };
  }
}

/** A document is issued by a key or by a person. */
function issuerOf({
  key_id: key,
  person_id: person,
  idempotency_key,
}: DocumentRow): Pick<ReplyOf<typeof getDocument>, 'issuer' | 'idempotency_key'> {
  if (key !== null) {
    return { issuer: { kind: 'key', id: key }, idempotency_key };
  }
  return person === null ? {} : { issuer: { kind: 'person', id: person } };
}

/** What acts have set against a document or withheld of it, and what was withheld with a receipt; what there is none of is absent. */
async function settledBy(
  db: Database<IssuingTables>,
  { business_id, id, set_off, withheld }: DocumentRow,
): Promise<Pick<ReplyOf<typeof getDocument>, 'set_offs' | 'withheld'>> {
  const [setOffs, taken] = await Promise.all([
    set_off === withheld ? [] : setOffsOf(db, business_id, id),
    Number(withheld) === 0 ? [] : withheldOf(db, business_id, id),
  ]);
  return { ...(setOffs.length > 0 && { set_offs: setOffs }), ...(taken.length > 0 && { withheld: taken }) };
}

async function details(db: Database<IssuingTables>, row: DocumentRow) {
  const settling = (await readSettling(db, row.business_id, [row.id])).get(row.id);
  return {
    ...(settling && settlementDetails(row, settling)),
    ...(row.cancel_reason !== null && { cancel_reason: row.cancel_reason }),
  };
}
