import { createHash, randomUUID } from 'node:crypto';
import {
  isUuid,
  listDocuments,
  namedDocumentsMax,
  type ReplyOf,
  recordExport,
  sumDocuments,
} from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import {
  ApiError,
  type Clock,
  type Database,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  RpcClient,
} from '@pinkas/service-kit';
import {
  button,
  card,
  facts,
  form,
  hidden,
  html,
  linkButton,
  type Markup,
  notice,
  pageHead,
} from '@pinkas/ui';
import type { ConsoleConfig } from '../config.js';
import type { ConsoleTables } from '../db/console.tables.js';
import { ExportsFullError } from '../files/export/export-errors.js';
import { emailsMax, gib } from '../files/export/export-policy.js';
import { exportWords } from '../files/export/export-words.js';
import { ExportWorker } from '../files/export/export-worker.js';
import { readExport, requestExport, TooManyExportsError } from '../files/export/exports.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../http/console-page.js';
import { csvFile } from '../http/file-replies.js';
import type { MemberVisit } from '../http/visit.js';
import { beforeEveryDocument } from '../reports/period.js';
import { listFile } from './list-file.js';
import { type ListQuery, listFields, readListQuery, selectionOf } from './list-query.js';
import { listWords as texts } from './list-words.js';
import { sendingPage } from './sending.js';

/** Documents that one call lists. */
const listedAtOnce = 100;

/**
 * The documents of a form: those that are selected, or all hits of its filter.
 * @returns null where that is not what the person sees: an id or a field is no value, or the search finds too many customers.
 */
async function readSelection(rpc: RpcClient, { bookId, form: sent }: MemberVisit): Promise<ListQuery | null> {
  const ids = sent.getAll('document');
  const query = await readListQuery(rpc, bookId, sent);
  if (ids.length === 0) {
    return query.wrong.length > 0 || query.isPartial ? null : query;
  }
  const isNamed = ids.every(isUuid) && ids.length <= namedDocumentsMax;
  return isNamed ? { ...query, filter: { document_ids: ids, include_cancelled: true } } : null;
}

/** The dates of a query; where it has none, all dates. */
function rangeOf({ filter: { from = beforeEveryDocument, to } }: ListQuery, today: string) {
  const last = to ?? today;
  // A range in the past or the future is one.
  return { from, to: last < from ? from : last };
}

const unclear = (visit: MemberVisit): PageReply =>
  page(visit.t(words.documents), refused(visit, visit.t(texts.selectionUnclear)), 422);

/** Requests what is made of a selection in the background. */
async function request(
  visit: MemberVisit,
  query: ListQuery,
  format: 'pdf-zip' | 'email',
  given: { db: Database<ConsoleTables>; now: Date; maxBytes: number },
): Promise<PageReply> {
  const { business, bookId, form: sent, t, session } = visit;
  const id = sent.get('export_id') ?? '';
  let requested: string;
  try {
    requested = await requestExport(
      given.db,
      {
        ...{ businessId: business.id, personId: session.personId, format },
        ...(isUuid(id) && { id: id.toLowerCase() }),
        ...(visit.isTest && { bookId }),
        selection: selectionOf(query),
        ...rangeOf(query, dayInIsrael(given.now)),
      },
      given.now,
      given.maxBytes,
    );
  } catch (error) {
    if (error instanceof TooManyExportsError || error instanceof ExportsFullError) {
      const reason = error instanceof ExportsFullError ? exportWords.full : exportWords.tooMany;
      return page(t(words.documents), refused(visit, t(reason)), 422);
    }
    throw error;
  }
  return format === 'email'
    ? redirect(visit.link(`/documents/sending/${requested}`))
    : redirect(`/b/${business.id}/exports`, { outcome: 'requested' });
}

function refused({ language, t, link }: MemberVisit, reason: string): Markup {
  return html`
${pageHead({ title: t(words.documents), language })}
${notice('error', reason)}
<p>${linkButton({ href: link('/documents'), text: t(words.back) })}</p>`;
}

/** What is done with chosen documents of the list. */
@PageController({ path: '/documents', access: 'issuer', books: true })
export class SelectionPages {
  constructor(
    private readonly rpc: RpcClient,
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly worker: ExportWorker,
    @InjectConfig() private readonly config: Pick<ConsoleConfig, 'exportsMaxGib'>,
  ) {}

  /** The documents of a list as a table for a spreadsheet, at once. Who may read them may have them as a file. */
  @ConsolePage({ method: 'POST', path: '/table', access: 'reader', changes: 'nothing' })
  async table(visit: MemberVisit): Promise<PageReply> {
    const { bookId, business, language, t, session } = visit;
    const query = await readSelection(this.rpc, visit);
    if (query === null) {
      return unclear(visit);
    }
    const today = dayInIsrael(this.clock.now());
    const { types } = await this.rpc.call(sumDocuments, { ...query.filter, business_id: bookId });
    if (types === null) {
      return page(t(words.documents), refused(visit, t(texts.tableTooLong)), 422);
    }
    // Before anything is read: a file that is not in the trail must not exist.
    await this.rpc.call(recordExport, {
      ...{ business_id: business.id, person_id: session.personId, format: 'list' },
      ...rangeOf(query, today),
      filter: JSON.stringify(selectionOf(query)).slice(0, 1_000),
    });
    return csvFile(`documents-${today}.csv`, listFile(this.rpc, bookId, query, language));
  }

  /** Makes a file of the documents of a list, in the background. */
  @ConsolePage({ method: 'POST', path: '/selection', access: 'reader', changes: 'nothing', freshProof: true })
  async export(visit: MemberVisit): Promise<PageReply> {
    const query = await readSelection(this.rpc, visit);
    if (query === null) {
      return unclear(visit);
    }
    const reply = await request(visit, query, 'pdf-zip', {
      db: this.db,
      now: this.clock.now(),
      maxBytes: this.config.exportsMaxGib * gib,
    });
    this.worker.trigger();
    return reply;
  }

  /** Shows what sending the documents of a list does, and sends them in the background once that is confirmed. */
  @ConsolePage({ method: 'POST', path: '/send', changes: 'book' })
  async send(visit: MemberVisit): Promise<PageReply> {
    const query = await readSelection(this.rpc, visit);
    if (query === null) {
      return unclear(visit);
    }
    const ids = await this.#idsOf(visit, query);
    // What was confirmed is what is sent: other documents, as many, are confirmed again.
    if (ids.length === 0 || ids.length > emailsMax || visit.form.get('confirmed') !== digestOf(ids)) {
      return confirmSending(visit, query, ids);
    }
    const confirmed = { ...query, filter: { document_ids: ids, include_cancelled: true } };
    const reply = await request(visit, confirmed, 'email', {
      db: this.db,
      now: this.clock.now(),
      maxBytes: this.config.exportsMaxGib * gib,
    });
    this.worker.trigger();
    return reply;
  }

  /** What became of documents that are sent in the background. */
  @ConsolePage({ method: 'GET', path: '/sending/:id' })
  async showSending(visit: MemberVisit): Promise<PageReply> {
    const { business, params } = visit;
    const row = await readExport(this.db, business.id, params.id ?? '');
    if (row?.format !== 'email') {
      throw new ApiError('not_found');
    }
    return sendingPage(visit, row);
  }

  /** The ids of those that are not cancelled, in the order of commits; one more than may be sent where there are more. */
  async #idsOf({ bookId: business_id }: MemberVisit, { filter }: ListQuery): Promise<string[]> {
    const ids: string[] = [];
    for (let before: number | null = null; ; ) {
      const { documents, next_before }: ReplyOf<typeof listDocuments> = await this.rpc.call(listDocuments, {
        ...filter,
        business_id,
        limit: listedAtOnce,
        before,
      });
      const active = documents.filter(({ state }) => state.status !== 'cancelled');
      ids.push(...active.map(({ document }) => document.id));
      if (next_before === null || ids.length > emailsMax) {
        return ids;
      }
      before = next_before;
    }
  }
}

/** Which documents a person has confirmed. */
const digestOf = (ids: readonly string[]): string =>
  createHash('sha256').update(ids.join()).digest('base64url');

function confirmSending(
  visit: MemberVisit,
  { filter, values }: ListQuery,
  ids: readonly string[],
): PageReply {
  const { csrfToken, language, t, link, form: sent } = visit;
  const count = ids.length;
  const isTooMany = count > emailsMax;
  const problem = isTooMany ? texts.sendTooMany : texts.sendNone;
  const back = linkButton({ href: link('/documents', values), text: t(words.back), kind: 'quiet' });
  const kept =
    filter.document_ids && sent.has('document')
      ? filter.document_ids.map((id) => hidden('document', id))
      : listFields.filter((name) => values[name] !== '').map((name) => hidden(name, values[name]));
  const content =
    isTooMany || count === 0
      ? html`
${notice('error', t(problem))}
<p>${back}</p>`
      : form({
          action: link('/documents/send'),
          csrfToken,
          content: html`
${kept}
${hidden('confirmed', digestOf(ids))}
${hidden('export_id', randomUUID())}
${facts([[t(texts.sendCount), String(count)]], language)}`,
          acts: html`
${button({ text: t(texts.sendNow) })}
${back}`,
        });
  return page(
    t(texts.sendTitle),
    html`
${pageHead({ title: t(texts.sendTitle), language, lead: t(texts.sendLead) })}
${card({ id: 'send', title: t(texts.sendTitle), titleHidden: true, content })}`,
    isTooMany || count === 0 ? 422 : 200,
  );
}
