import { showConnection } from '@pinkas/contracts';
import { addDays, dayInIsrael } from '@pinkas/domain';
import { type UniformCharset, uniformCharsets } from '@pinkas/domain/uniform';
import {
  ApiError,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  RpcClient,
} from '@pinkas/service-kit';
import {
  button,
  card,
  choice,
  emptyState,
  field,
  form,
  html,
  type Markup,
  notice,
  pageHead,
  type Words,
} from '@pinkas/ui';
import type { ConsoleConfig } from '../../config.js';
import type { ConsoleTables } from '../../db/console.tables.js';
import { ExportsFullError } from '../../export/export-errors.js';
import { gib } from '../../export/export-policy.js';
import { ExportWorker } from '../../export/export-worker.js';
import { listExports, readExportFile, requestExport, TooManyExportsError } from '../../export/exports.js';
import { listTransmissions } from '../../export/transmissions.js';
import { dayOf } from '../../http/address-dates.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../../http/console-page.js';
import { downloadHeaders } from '../../http/page-headers.js';
import type { MemberVisit } from '../../http/visit.js';
import { findSchedule, latestPackages } from '../../package/package.repository.js';
import { listMembers } from '../../people/member.repository.js';
import { hasVat } from '../../report/report.js';
import { unlessAway } from '../unless-away.js';
import { words } from '../words.js';
import { exportItem } from './export-item.js';
import { exportWords as texts } from './export-words.js';
import { monthlyCard } from './monthly-card.js';
import { isTransmitting } from './transmission-item.js';
import { transmissionWords } from './transmission-words.js';

const formats = ['uniform', 'pcn874', 'pdf-zip', 'csv', 'jsonl', 'donations'] as const;
const refreshSeconds = 3;
/** Months whose emails are shown. */
const packagesShown = 12;

const outcomes: Readonly<Record<string, Words>> = {
  requested: texts.requestedDone,
  schedule_saved: texts.scheduleSaved,
  restarted: texts.restarted,
  sent_now: texts.sentNow,
  transmission: transmissionWords.requested,
};

interface Draft {
  readonly format: string;
  readonly charset: string;
  readonly from: string;
  readonly to: string;
}

/** The files for the accountant. */
@PageController({ path: '/exports', access: 'reader' })
export class ExportPages {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly rpc: RpcClient,
    private readonly worker: ExportWorker,
    @InjectConfig() private readonly config: Pick<ConsoleConfig, 'exportsMaxGib'>,
  ) {}

  @ConsolePage({ method: 'GET' })
  async show(visit: MemberVisit): Promise<PageReply> {
    return this.#page(visit, suggested(visit.query, this.clock.now()));
  }

  /** Requests a file. Who may read the book may have it as a file. */
  @ConsolePage({ method: 'POST', changes: 'nothing', freshProof: true })
  async request(visit: MemberVisit): Promise<PageReply> {
    const { business, form, language, link, session } = visit;
    const sent = (name: string) => form.get(name)?.trim() ?? '';
    const draft = { format: sent('format'), charset: sent('charset'), from: sent('from'), to: sent('to') };
    try {
      await requestExport(
        this.db,
        {
          businessId: business.id,
          personId: session.personId,
          format: formats.find((known) => known === draft.format) ?? 'uniform',
          charset: uniformCharsets.find((known) => known === draft.charset) ?? uniformCharsets[0],
          from: draft.from,
          to: draft.to,
        },
        this.clock.now(),
        this.config.exportsMaxGib * gib,
      );
    } catch (error) {
      if (error instanceof TooManyExportsError) {
        return this.#page(visit, draft, texts.tooMany[language]);
      }
      if (error instanceof ExportsFullError) {
        return this.#page(visit, draft, texts.full[language]);
      }
      if (error instanceof ApiError && error.code === 'validation_error') {
        const isOfMonths = draft.format === 'pcn874' && draft.from <= draft.to;
        return this.#page(visit, draft, texts[isOfMonths ? 'badMonths' : 'badDates'][language]);
      }
      throw error;
    }
    this.worker.trigger();
    return redirect(link('/exports'), { outcome: 'requested' });
  }

  /** The bytes of a file that is ready. */
  @ConsolePage({ method: 'GET', path: '/:id/file', freshProof: true })
  async download({ business, params }: MemberVisit): Promise<PageReply> {
    const file = await readExportFile(this.db, business.id, params.id ?? '');
    if (!file) {
      throw new ApiError('not_found');
    }
    return {
      kind: 'file',
      headers: {
        ...downloadHeaders,
        'content-type': file.mediaType,
        'content-length': String(file.sizeBytes),
        'content-disposition': `attachment; filename="${file.name}"`,
      },
      body: file.chunks,
    };
  }

  #page(visit: MemberVisit, draft: Draft, error?: string): Promise<PageReply> {
    return exportsPage(visit, { db: this.db, rpc: this.rpc, now: this.clock.now() }, draft, error);
  }
}

/** What another page suggests in the address; where it suggests nothing, the last year. */
function suggested(query: URLSearchParams, now: Date): Draft {
  const draft = lastYear(now);
  const [from, to] = [dayOf(query, 'from'), dayOf(query, 'to')];
  const format = formats.find((known) => known === query.get('format'));
  return from !== '' && to !== '' && format ? { ...draft, format, from, to } : draft;
}

/** The year before this one until the end of January, for the annual report; then this year. */
function lastYear(now: Date): Draft {
  const today = dayInIsrael(now);
  const year = addDays(today, -31).slice(0, 4);
  const end = `${year}-12-31`;
  return {
    format: 'uniform',
    charset: uniformCharsets[0],
    from: `${year}-01-01`,
    to: end < today ? end : today,
  };
}

async function exportsPage(
  visit: MemberVisit,
  { db, rpc, now }: { readonly db: Database<ConsoleTables>; readonly rpc: RpcClient; readonly now: Date },
  draft: Draft,
  error?: string,
): Promise<PageReply> {
  const { business, language, outcome, role } = visit;
  const scoped = forTenant(db, business.id);
  const [exports, schedule, packages, members, connection] = await Promise.all([
    listExports(db, business.id),
    findSchedule(scoped, business.id),
    latestPackages(scoped, business.id, packagesShown),
    listMembers(scoped, business.id),
    role === 'owner' ? unlessAway(rpc.call(showConnection, { business_id: business.id })) : null,
  ]);
  const transmissions = await listTransmissions(db, business.id, exports);
  const isOffered = connection?.transmission === true;
  const done = outcome === null ? undefined : outcomes[outcome];
  const isUnfinished =
    exports.some(({ state }) => state === 'queued' || state === 'running') ||
    [...transmissions.values()].some(isTransmitting);
  const files =
    exports.length === 0
      ? emptyState({ title: texts.none[language] })
      : html`<ul class="items">
  ${exports.map((row) => exportItem(visit, row, { begun: transmissions.get(row.id), isOffered }))}
</ul>`;
  return page(
    words.exports[language],
    html`
${pageHead({ title: words.exports[language], language, lead: texts.what[language] })}
${error ? notice('error', error) : null}
${done ? notice('done', done[language]) : null}
${card({ id: 'request', title: texts.request[language], content: requestForm(visit, draft) })}
${card({
  id: 'files',
  title: texts.files[language],
  content: files,
  ...(isUnfinished && { data: { 'data-refresh': String(refreshSeconds) } }),
})}
${monthlyCard(visit, { schedule, packages, members, exports, today: dayInIsrael(now) })}`,
    error ? 422 : 200,
  );
}

function requestForm({ business, csrfToken, language, link }: MemberVisit, draft: Draft): Markup {
  const offered = formats.filter((format) => format !== 'pcn874' || hasVat(business));
  const dateField = (name: 'from' | 'to') =>
    field({ name, type: 'date', language, label: texts[name][language], value: draft[name], required: true });
  return form({
    action: link('/exports'),
    csrfToken,
    content: html`
${choice({
  name: 'format',
  label: texts.format[language],
  value: draft.format,
  options: offered.map((format) => [format, texts[format][language]] as const),
})}
${dateField('from')}
${dateField('to')}
${choice({
  name: 'charset',
  label: texts.charset[language],
  value: draft.charset,
  options: uniformCharsets.map((charset: UniformCharset) => [charset, charset.toUpperCase()] as const),
})}`,
    acts: button({ text: texts.prepare[language] }),
  });
}
