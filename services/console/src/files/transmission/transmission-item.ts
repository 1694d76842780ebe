import {
  badge,
  dayAndTime,
  html,
  isolate,
  type Language,
  leftToRight,
  linkButton,
  type Markup,
  type Tone,
} from '@pinkas/ui';
import type { TransmissionState } from '../../db/export.tables.js';
import type { MemberVisit } from '../../http/visit.js';
import { bytesText } from '../export/export-words.js';
import type { ExportView } from '../export/exports.js';
import { transmissionWords as texts, transmissionFailures } from './transmission-words.js';
import { isTransmittable, type TransmissionView } from './transmissions.js';

type Shown = Exclude<TransmissionState, 'queued' | 'running'> | 'sending' | 'deciding';

const tones: Readonly<Record<Shown, Tone>> = {
  sending: 'waiting',
  deciding: 'waiting',
  approved: 'good',
  rejected: 'bad',
  not_required: 'neutral',
  undecided: 'waiting',
  failed: 'bad',
};

const shownState = ({ state, isUploaded }: TransmissionView): Shown => {
  if (state !== 'queued' && state !== 'running') {
    return state;
  }
  return isUploaded ? 'deciding' : 'sending';
};

/** Whether a page that shows it should be loaded again soon. */
export const isTransmitting = (transmission: TransmissionView): boolean =>
  transmission.endedAt === null && !transmission.isUploaded;

/** How far the transmission of a file is, and what the tax authority decided. */
export function transmissionFacts(transmission: TransmissionView, language: Language): Markup {
  const shown = shownState(transmission);
  const { requestedAt, endedAt } = transmission;
  const at = dayAndTime((endedAt ?? requestedAt).toISOString(), language);
  return html`<p>
      ${texts.word[language]}
      ${badge(tones[shown], texts[shown][language])}
      <span class="soft">${at}</span>
    </p>
    ${shown === 'sending' ? progressOf(transmission, language) : null}
    ${moreOf(transmission, shown, language)}`;
}

function progressOf({ progress: { sent, total } }: TransmissionView, language: Language): Markup | null {
  return total === null
    ? null
    : html`<p>${leftToRight(`${bytesText(sent)} / ${bytesText(total)}`)} ${texts.sent[language]}</p>
    <progress max="${Math.max(1, total)}" value="${sent}" aria-label="${texts.sending[language]}"></progress>`;
}

function moreOf(transmission: TransmissionView, shown: Shown, language: Language): Markup | null {
  const { descriptions, error, failure } = transmission;
  const reason = (text: string) => html`<p>${texts.reason[language]} ${isolate(text, language)}</p>`;
  switch (shown) {
    case 'rejected':
      return html`<p>${texts.rejectedMore[language]}</p>
    ${descriptions.map(reason)}`;
    case 'not_required':
      return html`<p>${texts.notRequiredMore[language]}</p>`;
    case 'undecided':
      return html`<p>${texts.undecidedMore[language]}</p>`;
    case 'failed':
      return html`<p>${transmissionFailures[failure ?? 'unavailable'][language]}</p>
    ${failure === 'refused' && error !== null ? reason(error) : null}`;
    case 'approved':
      return null;
    default:
      return error === null
        ? null
        : html`<p>${transmissionFailures.unavailable[language]} ${texts.repeated[language]}</p>`;
  }
}

/** What an owner may do about the transmission of a file; null: nothing. */
export function transmissionAct(
  { t, link }: MemberVisit,
  row: ExportView,
  transmission: TransmissionView | undefined,
): Markup | null {
  const button = (word: keyof typeof texts) =>
    linkButton({
      href: link(`/exports/${row.id}/transmission`),
      text: t(texts[word]),
      kind: 'secondary',
    });
  if (transmission === undefined) {
    return isTransmittable(row) ? button('act') : null;
  }
  if (transmission.state === 'undecided' || (transmission.state === 'failed' && transmission.isUploaded)) {
    return button('askAgain');
  }
  return transmission.state === 'failed' && isTransmittable(row) ? button('again') : null;
}
