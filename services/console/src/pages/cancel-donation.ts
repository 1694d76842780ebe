import { cancelDonation, getDocument, type IssuedDocument, timeLimitsMs } from '@pinkas/contracts';
import { isBlank } from '@pinkas/domain';
import { RpcClient } from '@pinkas/service-kit';
import {
  amount,
  button,
  field,
  form,
  html,
  isolate,
  lengthErrors,
  linkButton,
  notice,
  pageHead,
  readField,
  type Words,
} from '@pinkas/ui';
import { ConsolePage, type PageReply, page, redirect } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { canCancelReport } from './document/donation.js';
import { documentName, effectList } from './parts.js';
import { words } from './words.js';

const texts = {
  title: { he: 'ביטול הדיווח על התרומה', en: 'Cancel the report of the donation' },
  what: { he: 'מה יקרה', en: 'What happens' },
  stays: {
    he: 'הקבלה ומספרה נשארים בספר, וסכומה נשאר בסיכומים.',
    en: 'The receipt and its number stay in the book, and its amount stays in the sums.',
  },
  report: {
    he: 'כל מה שדווח על הקבלה לרשות המסים יבוטל שם, ולא ידווח עליה עוד דבר. אין ביטול חלקי.',
    en: 'All that was reported of the receipt is cancelled at the tax authority, and nothing more is reported. It cannot be cancelled in part.',
  },
  says: {
    he: 'הדף וה-PDF יאמרו ׳דיווח בוטל׳; ה-PDF הקודם נשמר. התורם מקבל על כך הודעה ואינו זכאי לזיכוי ממס.',
    en: 'The page and the PDF will say that the report is cancelled; the PDF before it is kept. The donor gets a message about it, and no tax credit.',
  },
  final: { he: 'את הביטול אי אפשר לבטל.', en: 'This cannot be undone.' },
  reason: { he: 'סיבה', en: 'Reason' },
  reasonHint: {
    he: 'נשמרת ביומן השינויים ומופיעה בדף המסמך כאן.',
    en: 'It is kept in the audit trail, and shown here.',
  },
  needed: { he: 'צריך לרשום סיבה.', en: 'A reason is needed.' },
  confirm: { he: 'ביטול הדיווח', en: 'Cancel the report' },
} as const satisfies Record<string, Words>;

const reasonMax = 200;

function preview(visit: MemberVisit, document: IssuedDocument, error: string | null, reason = ''): PageReply {
  const { csrfToken, language } = visit;
  const at = visit.link(`/documents/${document.id}`);
  const title = `${texts.title[language]}: ${documentName(document, language)}`;
  const effects = [texts.stays, texts.report, texts.says, texts.final];
  const confirm = button({ text: texts.confirm[language], kind: 'danger' });
  const back = linkButton({ href: at, text: words.back[language], kind: 'quiet' });
  return page(
    title,
    html`${pageHead({
      title,
      language,
      crumbs: [{ text: documentName(document, language), href: at }],
      lead: html`${isolate(document.customer.name, language)}, ${amount(document.totals.total, language)}`,
    })}
${error === null ? null : notice('error', error)}
<section class="card">
  <h2>${texts.what[language]}</h2>
  ${effectList(effects.map((effect) => effect[language]))}
  ${form({
    action: `${at}/cancel-donation`,
    csrfToken,
    content: field({
      name: 'reason',
      label: texts.reason[language],
      hint: texts.reasonHint[language],
      value: reason,
      required: true,
    }),
    acts: html`${confirm}${back}`,
  })}
</section>`,
    error === null ? 200 : 422,
  );
}

/** Explains what cancelling the report of a donation does. */
@ConsolePage({
  method: 'GET',
  path: '/documents/:id/cancel-donation',
  access: 'owner',
  changes: 'book',
  books: true,
})
export class PreviewDonationCancellation {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { bookId, params } = visit;
    const key = { business_id: bookId, document_id: params.id ?? '' };
    const { document, state } = await this.rpc.call(getDocument, key);
    return canCancelReport(state)
      ? preview(visit, document, null)
      : redirect(visit.link(`/documents/${document.id}`));
  }
}

/** Cancels the report of a donation; the receipt stays in the book. */
@ConsolePage({
  method: 'POST',
  path: '/documents/:id/cancel-donation',
  access: 'owner',
  changes: 'book',
  books: true,
  timeoutMs: timeLimitsMs.operatorCall,
})
export class CancelDonationNow {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { bookId, form, language, params, session } = visit;
    const key = { business_id: bookId, document_id: params.id ?? '' };
    const reason = readField(form, 'reason');
    const { reason: tooLong } = lengthErrors({ reason }, { reason: reasonMax }, language);
    if (isBlank(reason) || tooLong !== undefined) {
      const { document } = await this.rpc.call(getDocument, key);
      return preview(visit, document, tooLong ?? texts.needed[language], reason);
    }
    const { state } = await this.rpc.call(cancelDonation, { ...key, reason, person_id: session.personId });
    const outcome = state === 'cancelled' ? 'donation_cancelled' : 'donation_cancelling';
    return redirect(visit.link(`/documents/${key.document_id}`), { outcome });
  }
}
