import {
  badge,
  dateRange,
  dayAndTime,
  html,
  isolate,
  type Language,
  leftToRight,
  linkButton,
  type Markup,
  type Tone,
} from '@pinkas/ui';
import type { MemberVisit } from '../http/visit.js';
import { vatDetailNotes } from '../reports/vat-detail-notes.js';
import { bytesText, exportWords as texts } from './export/export-words.js';
import type { ExportView } from './export/exports.js';
import { packageTitle } from './months/package-words.js';
import { transmissionAct, transmissionFacts } from './transmission/transmission-item.js';
import type { TransmissionView } from './transmission/transmissions.js';

const tones: Readonly<Record<ExportView['state'], Tone>> = {
  queued: 'waiting',
  running: 'waiting',
  done: 'good',
  failed: 'bad',
  expired: 'neutral',
};

/** The transmission of a file to the tax authority. */
interface ItemTransmission {
  readonly begun: TransmissionView | undefined;
  /** Whether this person may begin or continue it. */
  readonly isOffered: boolean;
}

/** A file that was requested: what it is of, how far it is, where it is downloaded, and its transmission. */
export function exportItem(
  visit: MemberVisit,
  row: ExportView,
  { begun, isOffered }: ItemTransmission,
): Markup {
  const { language, t, link } = visit;
  const { file, missingPdfs, state } = row;
  const size = file && html` · ${leftToRight(bytesText(file.sizeBytes))}`;
  const until =
    state === 'done' && row.expiresAt
      ? html` · ${t(texts.until)} ${dayAndTime(row.expiresAt.toISOString(), language)}`
      : null;
  const names = isolate(missingPdfs.names.slice(0, 5).join(', '), language);
  const missing =
    missingPdfs.count > 0 ? html`<p>${missingPdfs.count} ${t(texts.missing)}: ${names}</p>` : null;
  const failure = state === 'failed' ? html`<p>${t(texts[row.failure ?? 'unavailable'])}</p>` : null;
  const download =
    state === 'done' ? linkButton({ href: link(`/exports/${row.id}/file`), text: t(texts.download) }) : null;
  const report = row.runReport
    ? linkButton({
        href: link(`/exports/${row.id}/report`),
        text: t(texts.report54),
        kind: 'secondary',
      })
    : null;
  const transmit = isOffered ? transmissionAct(visit, row, begun) : null;
  const acts =
    download || report || transmit
      ? html`<div class="actions">
    ${download}
    ${report}
    ${transmit}
  </div>`
      : null;
  return html`<li class="item">
  <div>
    <p class="item-title">
      <strong>${t(texts[row.format])}</strong>
      ${badge(tones[state], t(texts[state]))}
    </p>
    <p>
      ${rangeOf(row, language)}${size}
      · ${t(texts.requested)} ${dayAndTime(row.requestedAt.toISOString(), language)}${until}
    </p>
    ${progressOf(row, language)}
    ${missing}
    ${row.vatDetail && vatDetailNotes(visit, row.vatDetail)}
    ${row.vatDetail?.is_over === false && html`<p>${t(texts.madeEarly)}</p>`}
    ${failure}
    ${begun ? transmissionFacts(begun, language) : null}
  </div>
  ${acts}
</li>
`;
}

function rangeOf(row: ExportView, language: Language): Markup {
  if (row.ofPackage !== null) {
    return html`${texts.ofPackage[language]} ${packageTitle(row.ofPackage, language)}`;
  }
  return row.isSelection ? html`${texts.selection[language]}` : dateRange(row.from, row.to, language);
}

function progressOf({ progress, state }: ExportView, language: Language): Markup | null {
  if (state !== 'running') {
    return null;
  }
  const { done, total } = progress;
  const of = total === null ? null : html`${texts.of[language]} ${leftToRight(String(total))}`;
  const bar =
    total === null
      ? null
      : html`<progress max="${Math.max(1, total)}" value="${done}" aria-label="${texts.running[language]}"></progress>`;
  return html`<p>${leftToRight(String(done))} ${of} ${texts.documents[language]}</p>
${bar}`;
}
