import { printReport, showConnection, timeLimitsMs } from '@pinkas/contracts';
import { addDays, dayInIsrael, isCalendarDate, vatReportMonth } from '@pinkas/domain';
import { type UniformCharset, uniformCharsets } from '@pinkas/domain/uniform';
import { type RunReport, uniformReports } from '@pinkas/exports';
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
  hidden,
  html,
  linkButton,
  type Markup,
  notice,
  pageHead,
  type Words,
} from '@pinkas/ui';
import { listMembers } from '../access/people/member.repository.js';
import type { ConsoleConfig } from '../config.js';
import type { ConsoleTables } from '../db/console.tables.js';
import { unlessAway } from '../frame/unless-away.js';
import { words } from '../frame/words.js';
import { dayOf } from '../http/address-dates.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../http/console-page.js';
import { pdfFile } from '../http/file-replies.js';
import { downloadHeaders } from '../http/page-headers.js';
import type { MemberVisit } from '../http/visit.js';
import { hasVat } from '../reports/report.js';
import { ExportsFullError } from './export/export-errors.js';
import { gib } from './export/export-policy.js';
import { exportWords as texts } from './export/export-words.js';
import { ExportWorker } from './export/export-worker.js';
import {
  listExports,
  readExport,
  readExportFile,
  requestExport,
  TooManyExportsError,
} from './export/exports.js';
import { runReportCards } from './export/run-report.js';
import { exportItem } from './export-item.js';
import { monthlyCard } from './months/monthly-card.js';
import { findSchedule, latestPackages } from './months/package.repository.js';
import { isTransmitting } from './transmission/transmission-item.js';
import { transmissionWords } from './transmission/transmission-words.js';
import { listTransmissions } from './transmission/transmissions.js';

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
  readonly drive: string;
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
    const { business, form, t, link, session } = visit;
    const sent = (name: string) => form.get(name)?.trim() ?? '';
    const draft = {
      ...{ format: sent('format'), charset: sent('charset'), drive: sent('drive').toUpperCase() },
      ...{ from: sent('from'), to: sent('to') },
    };
    const fault = faultOf(draft, sent('unfinished'), this.clock.now());
    if (fault !== null) {
      return this.#page(visit, draft, t(texts[fault]));
    }
    try {
      await requestExport(
        this.db,
        {
          businessId: business.id,
          personId: session.personId,
          format: formats.find((known) => known === draft.format) ?? 'uniform',
          charset: uniformCharsets.find((known) => known === draft.charset) ?? uniformCharsets[0],
          drive: draft.drive,
          from: draft.from,
          to: draft.to,
        },
        this.clock.now(),
        this.config.exportsMaxGib * gib,
      );
    } catch (error) {
      if (error instanceof TooManyExportsError) {
        return this.#page(visit, draft, t(texts.tooMany));
      }
      if (error instanceof ExportsFullError) {
        return this.#page(visit, draft, t(texts.full));
      }
      if (error instanceof ApiError && error.code === 'validation_error') {
        const isOfMonths = draft.format === 'pcn874' && draft.from <= draft.to;
        return this.#page(visit, draft, t(texts[isOfMonths ? 'badMonths' : 'badDates']));
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

  /** What a run of the uniform structure wrote. */
  @ConsolePage({ method: 'GET', path: '/:id/report' })
  async report(visit: MemberVisit): Promise<PageReply> {
    const { language, t, link } = visit;
    const { id, report } = await this.#report(visit);
    const title = t(texts.report54);
    const print = (name: 'run-summary' | 'totals-by-type', text: string) =>
      linkButton({ href: link(`/exports/${id}/report/pdf`, { name }), text, download: true });
    return page(
      title,
      html`
${pageHead({
  title,
  language,
  crumbs: [{ text: t(words.exports), href: link('/exports') }],
  secondary: [print('run-summary', t(texts.print)), print('totals-by-type', t(texts.printTypes))],
})}
${runReportCards(report)}`,
    );
  }

  /** The same on paper. */
  @ConsolePage({ method: 'GET', path: '/:id/report/pdf', timeoutMs: timeLimitsMs.operatorCall })
  async printedReport(visit: MemberVisit): Promise<PageReply> {
    const { report } = await this.#report(visit);
    const wanted = visit.query.get('name') ?? 'run-summary';
    const found = uniformReports(report).find(({ name }) => name === wanted);
    if (!found) {
      throw new ApiError('not_found');
    }
    const { title, html: sheet, name } = found;
    const { pdf } = await this.rpc.call(printReport, { title, html: sheet });
    return pdfFile(`${name}.pdf`, Buffer.from(pdf, 'base64'));
  }

  /** @throws ApiError `not_found` where the export is none of the uniform structure, or has not been made. */
  async #report({ business, params }: MemberVisit): Promise<{ id: string; report: RunReport }> {
    const row = await readExport(this.db, business.id, params.id ?? '');
    if (!row?.runReport) {
      throw new ApiError('not_found');
    }
    return { id: row.id, report: row.runReport };
  }

  #page(visit: MemberVisit, draft: Draft, error?: string): Promise<PageReply> {
    return exportsPage(visit, { db: this.db, rpc: this.rpc, now: this.clock.now() }, draft, error);
  }
}

/** Whether a detailed VAT report is of a month that is not over. */
const isUnfinished = ({ format, from, to }: Draft, now: Date): boolean =>
  format === 'pcn874' &&
  [from, to].every(isCalendarDate) &&
  vatReportMonth(from, to) !== null &&
  to >= dayInIsrael(now);

/** What is wrong with a draft before anything is requested; null: nothing. @param confirmed the end of the months that the form has warned of. */
function faultOf(draft: Draft, confirmed: string, now: Date): 'badDrive' | 'notOver' | null {
  if (!/^[A-Z]?$/.test(draft.drive)) {
    return 'badDrive';
  }
  return isUnfinished(draft, now) && confirmed !== draft.to ? 'notOver' : null;
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
    drive: '',
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
  const { business, language, t, outcome, role } = visit;
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
  const isInWork =
    exports.some(({ state }) => state === 'queued' || state === 'running') ||
    [...transmissions.values()].some(isTransmitting);
  const files =
    exports.length === 0
      ? emptyState({ title: t(texts.none) })
      : html`<ul class="items">
  ${exports.map((row) => exportItem(visit, row, { begun: transmissions.get(row.id), isOffered }))}
</ul>`;
  return page(
    t(words.exports),
    html`
${pageHead({ title: t(words.exports), language, lead: t(texts.what) })}
${error ? notice('error', error) : null}
${!error && isUnfinished(draft, now) && notice('warn', t(texts.notOver))}
${done ? notice('done', t(done)) : null}
${card({ id: 'request', title: t(texts.request), content: requestForm(visit, draft, now) })}
${card({
  id: 'files',
  title: t(texts.files),
  content: files,
  ...(isInWork && { data: { 'data-refresh': String(refreshSeconds) } }),
})}
${monthlyCard(visit, { schedule, packages, members, exports, today: dayInIsrael(now) })}`,
    error ? 422 : 200,
  );
}

function requestForm(
  { business, csrfToken, language, t, link }: MemberVisit,
  draft: Draft,
  now: Date,
): Markup {
  const offered = formats.filter((format) => format !== 'pcn874' || hasVat(business));
  const dateField = (name: 'from' | 'to') =>
    field({ name, type: 'date', language, label: t(texts[name]), value: draft[name], required: true });
  return form({
    action: link('/exports'),
    csrfToken,
    content: html`
${choice({
  name: 'format',
  label: t(texts.format),
  value: draft.format,
  options: offered.map((format) => [format, t(texts[format])] as const),
})}
${dateField('from')}
${dateField('to')}
${choice({
  name: 'charset',
  label: t(texts.charset),
  value: draft.charset,
  options: uniformCharsets.map((charset: UniformCharset) => [charset, charset.toUpperCase()] as const),
})}
${field({
  name: 'drive',
  label: t(texts.drive),
  hint: t(texts.driveHint),
  value: draft.drive,
  ltr: true,
})}
${isUnfinished(draft, now) && hidden('unfinished', draft.to)}`,
    acts: button({ text: t(texts.prepare) }),
  });
}
