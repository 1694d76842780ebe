import { addDays, dayInIsrael, isCalendarDate } from '@pinkas/domain';
import { type UniformCharset, uniformCharsets } from '@pinkas/domain/uniform';
import {
  ApiError,
  type Clock,
  type Database,
  InjectClock,
  InjectConfig,
  InjectDatabase,
} from '@pinkas/service-kit';
import { html, isolate, type Language, leftToRight, type Markup } from '@pinkas/ui';
import type { ConsoleConfig } from '../config.js';
import { ExportsFullError } from '../export/export-errors.js';
import { gib } from '../export/export-policy.js';
import { ExportWorker } from '../export/export-worker.js';
import {
  type ExportView,
  listExports,
  readExportFile,
  requestExport,
  TooManyExportsError,
} from '../export/exports.js';
import { ConsolePage, type PageReply, page, redirect } from '../http/console-page.js';
import { downloadHeaders } from '../http/page-headers.js';
import type { MemberVisit } from '../http/visit.js';
import type { ConsoleTables } from '../session/session.tables.js';
import { choice, csrfField, day, dayAndTime, field, notice } from './parts.js';
import { type Words, words } from './words.js';

const texts = {
  what: {
    he: 'הקובץ מוכן ברקע ונשמר שבוע. כל ייצוא נרשם ביומן השינויים.',
    en: 'A file is prepared in the background and kept for a week. Each export is recorded in the audit trail.',
  },
  request: { he: 'קובץ חדש', en: 'New file' },
  format: { he: 'סוג הקובץ', en: 'Kind of file' },
  uniform: {
    he: 'מבנה אחיד (OPENFRMT)',
    en: 'Uniform structure (OPENFRMT)',
  },
  pcn874: {
    he: 'דיווח מפורט למע"מ, צד העסקאות (PCN874)',
    en: 'Detailed VAT report, sales side (PCN874)',
  },
  'pdf-zip': { he: 'כל ה-PDF החתומים, ב-ZIP', en: 'All signed PDFs, in a ZIP' },
  csv: { he: 'טבלה (CSV)', en: 'Table (CSV)' },
  jsonl: { he: 'מסמכים כמו ב-API (JSON Lines)', en: 'Documents as in the API (JSON Lines)' },
  donations: { he: 'תרומות, לפי דיווח, חודש ותורם (CSV)', en: 'Donations, by report, month and donor (CSV)' },
  charset: { he: 'קידוד של מבנה אחיד', en: 'Encoding, if uniform' },
  from: { he: 'מתאריך', en: 'From' },
  to: { he: 'עד תאריך', en: 'To' },
  prepare: { he: 'הכנת הקובץ', en: 'Prepare the file' },
  files: { he: 'קבצים', en: 'Files' },
  none: { he: 'עדיין אין קבצים.', en: 'There are no files yet.' },
  queued: { he: 'ממתין', en: 'Waits' },
  running: { he: 'בהכנה', en: 'In preparation' },
  done: { he: 'מוכן', en: 'Ready' },
  failed: { he: 'נכשל', en: 'Failed' },
  expired: { he: 'נמחק', en: 'Deleted' },
  documents: { he: 'מסמכים', en: 'documents' },
  of: { he: 'מתוך', en: 'of' },
  download: { he: 'הורדה', en: 'Download' },
  until: { he: 'נשמר עד', en: 'kept until' },
  requested: { he: 'התבקש', en: 'requested' },
  missing: { he: 'מסמכים בלי PDF', en: 'documents without a PDF' },
  tooMany: {
    he: 'אפשר להכין שלושה קבצים בבת אחת, ולשמור 8GB. אפשר לנסות שוב מאוחר יותר.',
    en: 'Three files can be in preparation at once, and 8 GB are kept. Try again later.',
  },
  full: {
    he: 'המקום לקבצים מלא כרגע. קבצים נמחקים אחרי שבוע; אפשר לנסות שוב מאוחר יותר.',
    en: 'There is no room for more files at the moment. Files are deleted after a week; try again later.',
  },
  badDates: {
    he: 'שני תאריכים, והשני אינו לפני הראשון.',
    en: 'Two dates, the second not before the first.',
  },
  badMonths: {
    he: 'דיווח מפורט הוא על חודש שלם או על חודשיים שלמים.',
    en: 'A detailed VAT report is of one or two complete months.',
  },
  requestedDone: { he: 'הקובץ בהכנה.', en: 'The file is in preparation.' },
  no_tax_id: {
    he: 'לעסק אין ח.פ., ומבנה אחיד צריך אותו.',
    en: 'The business has no tax id, which the uniform structure needs.',
  },
  too_large: { he: 'הקובץ גדול מדי; יש לבחור פחות ימים.', en: 'The file is too large; choose fewer days.' },
  unavailable: {
    he: 'שירות אחר לא ענה. אפשר לבקש שוב.',
    en: 'Another service did not answer. Request it again.',
  },
} as const satisfies Record<string, Words>;

const formats = ['uniform', 'pcn874', 'pdf-zip', 'csv', 'jsonl', 'donations'] as const;
const refreshSeconds = 3;

interface Draft {
  readonly format: string;
  readonly charset: string;
  readonly from: string;
  readonly to: string;
}

/** The files for the accountant, and the form of a new one. */
@ConsolePage({ method: 'GET', path: '/exports', access: 'reader' })
export class ShowExports {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    return exportsPage(visit, this.db, suggested(visit.query, this.clock.now()));
  }
}

/** Requests a file. Who may read the book may have it as a file. */
@ConsolePage({ method: 'POST', path: '/exports', access: 'reader', changes: 'nothing', freshProof: true })
export class RequestExport {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly worker: ExportWorker,
    @InjectConfig() private readonly config: Pick<ConsoleConfig, 'exportsMaxGib'>,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
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
        return exportsPage(visit, this.db, draft, texts.tooMany[language]);
      }
      if (error instanceof ExportsFullError) {
        return exportsPage(visit, this.db, draft, texts.full[language]);
      }
      if (error instanceof ApiError && error.code === 'validation_error') {
        const isOfMonths = draft.format === 'pcn874' && draft.from <= draft.to;
        return exportsPage(visit, this.db, draft, texts[isOfMonths ? 'badMonths' : 'badDates'][language]);
      }
      throw error;
    }
    this.worker.trigger();
    return redirect(link('/exports'), { outcome: 'requested' });
  }
}

/** The bytes of a file that is ready. */
@ConsolePage({ method: 'GET', path: '/exports/:id/file', access: 'reader', freshProof: true })
export class DownloadExport {
  constructor(@InjectDatabase() private readonly db: Database<ConsoleTables>) {}

  async handle({ business, params }: MemberVisit): Promise<PageReply> {
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
}

/** What another page suggests in the address; where it suggests nothing, the last year. */
function suggested(query: URLSearchParams, now: Date): Draft {
  const draft = lastYear(now);
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
  const format = formats.find((known) => known === query.get('format'));
  return isCalendarDate(from) && isCalendarDate(to) && format ? { ...draft, format, from, to } : draft;
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
  db: Database<ConsoleTables>,
  draft: Draft,
  error?: string,
): Promise<PageReply> {
  const { business, csrfToken, language, link, outcome } = visit;
  const exports = await listExports(db, business.id);
  const isUnfinished = exports.some(({ state }) => state === 'queued' || state === 'running');
  const list =
    exports.length === 0
      ? html`<p>${texts.none[language]}</p>`
      : html`<ul class="items">${exports.map((row) => exportItem(visit, row))}</ul>`;
  return page(
    words.exports[language],
    html`<h1>${words.exports[language]}</h1>${error ? notice('error', error) : null}${outcome === 'requested' ? notice('done', texts.requestedDone[language]) : null}<p>${texts.what[language]}</p>
<section class="card" aria-labelledby="request"><h2 id="request">${texts.request[language]}</h2><form method="post" action="${link('/exports')}" class="grid">${csrfField(csrfToken)}${choice({ name: 'format', label: texts.format[language], value: draft.format, options: formats.map((format) => [format, texts[format][language]] as const) })}${choice({ name: 'charset', label: texts.charset[language], value: draft.charset, options: uniformCharsets.map((charset: UniformCharset) => [charset, charset.toUpperCase()] as const) })}${field({ name: 'from', type: 'date', label: texts.from[language], value: draft.from, required: true })}${field({ name: 'to', type: 'date', label: texts.to[language], value: draft.to, required: true })}<div class="buttons"><button>${texts.prepare[language]}</button></div></form></section>
<section class="card" aria-labelledby="files"${isUnfinished && html` data-refresh="${refreshSeconds}"`}><h2 id="files">${texts.files[language]}</h2>${list}</section>`,
    error ? 422 : 200,
  );
}

function progressOf({ progress, state }: ExportView, language: Language): Markup | null {
  if (state !== 'running') {
    return null;
  }
  const { done, total } = progress;
  const text =
    total === null
      ? html`${leftToRight(String(done))} ${texts.documents[language]}`
      : html`${leftToRight(String(done))} ${texts.of[language]} ${leftToRight(String(total))} ${texts.documents[language]}`;
  const bar =
    total === null
      ? null
      : html`<progress max="${Math.max(1, total)}" value="${done}" aria-label="${texts.running[language]}"></progress>`;
  return html`<p>${text}</p>${bar}`;
}

function exportItem({ language, link }: MemberVisit, row: ExportView): Markup {
  const { missingPdfs, file } = row;
  const kind = { queued: 'test', running: 'test', done: 'open', failed: 'cancelled', expired: 'closed' }[
    row.state
  ];
  const size = file && html` · ${leftToRight(sizeText(file.sizeBytes))}`;
  const until =
    row.state === 'done' && row.expiresAt
      ? html` · ${texts.until[language]} ${dayAndTime(row.expiresAt.toISOString(), language)}`
      : null;
  const missing =
    missingPdfs.count > 0
      ? html`<p>${missingPdfs.count} ${texts.missing[language]}: ${isolate(missingPdfs.names.slice(0, 5).join(', '), language)}</p>`
      : null;
  const failure =
    row.state === 'failed' ? html`<p>${texts[row.failure ?? 'unavailable'][language]}</p>` : null;
  const download =
    row.state === 'done'
      ? html`<div class="actions"><a class="button" href="${link(`/exports/${row.id}/file`)}">${texts.download[language]}</a></div>`
      : null;
  return html`<li class="item"><div><strong>${texts[row.format][language]}</strong> <span class="badge ${kind}">${texts[row.state][language]}</span><p>${day(row.from, language)} – ${day(row.to, language)}${size} · ${texts.requested[language]} ${dayAndTime(row.requestedAt.toISOString(), language)}${until}</p>${progressOf(row, language)}${missing}${failure}</div>${download}</li>`;
}

function sizeText(bytes: number): string {
  return bytes < 1_048_576 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}
