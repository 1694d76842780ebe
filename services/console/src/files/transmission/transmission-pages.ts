import { showConnection } from '@pinkas/contracts';
import {
  ApiError,
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  RpcClient,
} from '@pinkas/service-kit';
import {
  button,
  card,
  dateRange,
  dayAndTime,
  facts,
  form,
  html,
  isolate,
  leftToRight,
  linkButton,
  type Markup,
  notice,
  pageHead,
} from '@pinkas/ui';
import type { ConsoleTables } from '../../db/console.tables.js';
import { effectList } from '../../frame/parts.js';
import { words } from '../../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import { bytesText } from '../export/export-words.js';
import { type ExportView, readExport } from '../export/exports.js';
import { transmissionWords as texts } from './transmission-words.js';
import { TransmissionWorker } from './transmission-worker.js';
import { isTransmittable, listTransmissions, requestTransmission } from './transmissions.js';
import { readUniformFiles, type UniformFile } from './uniform-files.js';

const uploaded: readonly UniformFile['name'][] = ['INI.TXT', 'BKMVDATA.TXT'];

/** A file that may be transmitted, or whose transmission may go on. @throws ApiError `not_found`. */
async function transmittable(
  { business, params }: MemberVisit,
  db: Database<ConsoleTables>,
  rpc: RpcClient,
): Promise<ExportView> {
  const { transmission: isOn } = await rpc.call(showConnection, { business_id: business.id });
  const row = isOn === true ? await readExport(db, business.id, params.id ?? '') : null;
  const begun = row && (await listTransmissions(db, business.id, [row])).get(row.id);
  if (!row || (!isTransmittable(row) && begun?.isUploaded !== true)) {
    throw new ApiError('not_found');
  }
  return row;
}

function confirmation(visit: MemberVisit, row: ExportView, files: readonly UniformFile[]): PageReply {
  const { business, csrfToken, language, t, link } = visit;
  const title = t(texts.title);
  const at = link('/exports');
  const sent = files
    .filter(({ name }) => uploaded.includes(name))
    .map(({ name, bytes }) => html`${leftToRight(name)} (${leftToRight(bytesText(bytes))})`);
  const list: Markup = html`${sent.map((item, place) => html`${place > 0 && ' · '}${item}`)}`;
  const effects = [texts.sends, texts.resumes, texts.decides, texts.recorded, texts.final];
  const back = linkButton({ href: at, text: t(words.back), kind: 'quiet' });
  const confirm = button({ text: t(texts.confirm) });
  const isConnected = business.tax_authority_connected;
  return page(
    title,
    html`${pageHead({ title, language, crumbs: [{ text: t(words.exports), href: at }] })}
${isConnected ? null : notice('error', t(texts.unconnected))}
${card({
  id: 'transmission',
  title: t(texts.content),
  content: html`
${facts(
  [
    [t(texts.business), html`${isolate(business.name, language)} ${leftToRight(business.tax_id ?? '')}`],
    [t(texts.period), dateRange(row.from, row.to, language)],
    [t(texts.documents), leftToRight(String(row.progress.done))],
    [t(texts.made), dayAndTime((row.endedAt ?? row.requestedAt).toISOString(), language)],
    [t(texts.files), sent.length === 0 ? null : list],
  ],
  language,
)}
<h3>${t(texts.what)}</h3>
${effectList(effects.map((effect) => t(effect)))}
${
  isConnected
    ? form({
        action: link(`/exports/${row.id}/transmission`),
        csrfToken,
        content: html``,
        acts: html`${confirm}${back}`,
      })
    : html`<div class="buttons">
  ${linkButton({ href: link('/authority'), text: t(texts.connect) })}
  ${back}
</div>`
}`,
})}`,
  );
}

/** Transmits a file to the tax authority. */
@PageController({ path: '/exports/:id/transmission', access: 'owner', freshProof: true })
export class TransmissionPages {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
    private readonly worker: TransmissionWorker,
  ) {}

  @ConsolePage({ method: 'GET' })
  async confirm(visit: MemberVisit): Promise<PageReply> {
    const row = await transmittable(visit, this.db, this.rpc);
    const key = { businessId: visit.business.id, exportId: row.id };
    return confirmation(visit, row, (await readUniformFiles(this.db, key)) ?? []);
  }

  @ConsolePage({ method: 'POST', changes: 'nothing' })
  async transmit(visit: MemberVisit): Promise<PageReply> {
    const { business, link, session } = visit;
    const row = await transmittable(visit, this.db, this.rpc);
    if (!business.tax_authority_connected) {
      return redirect(link(`/exports/${row.id}/transmission`));
    }
    const asked = { businessId: business.id, personId: session.personId };
    const isBegun = await requestTransmission(this.db, asked, row, this.clock);
    this.worker.trigger();
    return redirect(link('/exports'), isBegun ? { outcome: 'transmission' } : {});
  }
}
