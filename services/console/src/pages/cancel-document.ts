import {
  CancelDocument,
  cancelDocument,
  getDocument,
  type IssuedDocument,
  timeLimitsMs,
} from '@pinkas/contracts';
import { documentTypeRules } from '@pinkas/domain';
import { ApiError, RpcClient } from '@pinkas/service-kit';
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
import { limitsOf } from '../http/form-limits.js';
import type { MemberVisit } from '../http/visit.js';
import { errorText } from './message-pages.js';
import { documentName, effectList } from './parts.js';
import { words } from './words.js';

const texts = {
  title: { he: 'ביטול', en: 'Cancel' },
  what: { he: 'מה יקרה', en: 'What happens' },
  stays: {
    he: 'המסמך ומספרו נשארים בספר; המספר לא ינוצל שוב.',
    en: 'The document and its number stay in the book; the number is not used again.',
  },
  says: {
    he: 'הדף וה-PDF יאמרו שהמסמך מבוטל; ה-PDF הקודם נשמר.',
    en: 'The page and the PDF will say that it is cancelled; the PDF before it is kept.',
  },
  messages: {
    he: 'הודעות שעדיין לא נשלחו לא יישלחו. הלקוח אינו מקבל הודעה על הביטול.',
    en: 'Messages that were not sent yet will not be sent. The customer gets no message about it.',
  },
  source: {
    he: 'אי אפשר יהיה לבסס עליו מסמך אחר. את הביטול אי אפשר לבטל.',
    en: 'No other document can be based on it. This cannot be undone.',
  },
  reason: { he: 'סיבה (לא חובה)', en: 'Reason (optional)' },
  reasonHint: { he: 'תופיע במסמך המבוטל.', en: 'It is shown on the cancelled document.' },
  confirm: { he: 'ביטול המסמך', en: 'Cancel the document' },
} as const satisfies Record<string, Words>;

const { texts: limits } = limitsOf(CancelDocument);

function preview(
  visit: MemberVisit,
  document: IssuedDocument,
  error: string | null,
  wrong?: { readonly reason: string; readonly error: string },
): PageReply {
  const { csrfToken, language } = visit;
  const at = visit.link(`/documents/${document.id}`);
  const title = `${texts.title[language]}: ${documentName(document, language)}`;
  const effects = [texts.stays, texts.says, texts.messages, texts.source];
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
    action: `${at}/cancel`,
    csrfToken,
    content: field({
      name: 'reason',
      label: texts.reason[language],
      hint: texts.reasonHint[language],
      value: wrong?.reason ?? '',
      error: wrong?.error,
    }),
    acts: html`${confirm}${back}`,
  })}
</section>`,
    error === null && !wrong ? 200 : 422,
  );
}

/** Says what cancelling a document does. */
@ConsolePage({ method: 'GET', path: '/documents/:id/cancel', access: 'issuer', changes: 'book', books: true })
export class PreviewCancellation {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { bookId, params } = visit;
    const { document, state } = await this.rpc.call(getDocument, {
      business_id: bookId,
      document_id: params.id ?? '',
    });
    if (state.status === 'cancelled' || !documentTypeRules[document.type].cancellable) {
      return redirect(visit.link(`/documents/${document.id}`));
    }
    return preview(visit, document, null);
  }
}

/** Cancels a document that is no accounting document. */
@ConsolePage({
  method: 'POST',
  path: '/documents/:id/cancel',
  access: 'issuer',
  changes: 'book',
  books: true,
  timeoutMs: timeLimitsMs.cancelDocument,
})
export class CancelDocumentNow {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { bookId, form, language, params, session } = visit;
    const key = { business_id: bookId, document_id: params.id ?? '' };
    const reason = readField(form, 'reason');
    const errors = lengthErrors({ reason }, limits, language);
    if (errors.reason !== undefined) {
      const { document } = await this.rpc.call(getDocument, key);
      return preview(visit, document, null, { reason, error: errors.reason });
    }
    try {
      await this.rpc.call(cancelDocument, {
        ...key,
        reason: reason === '' ? null : reason,
        events: visit.business.events === true,
        person_id: session.personId,
      });
    } catch (error) {
      if (!(error instanceof ApiError) || !isRefusal(error)) {
        throw error;
      }
      const { document } = await this.rpc.call(getDocument, key);
      return preview(visit, document, errorText(error, language));
    }
    return redirect(visit.link(`/documents/${key.document_id}`), { outcome: 'cancelled' });
  }
}

const isRefusal = ({ code }: ApiError) =>
  code === 'use_credit_note' || code === 'already_cancelled' || code === 'linked_document_closed';
