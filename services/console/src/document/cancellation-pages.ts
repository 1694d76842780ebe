import {
  CancelDocument,
  cancelDocument,
  getDocument,
  type IssuedDocument,
  timeLimitsMs,
} from '@pinkas/contracts';
import { documentTypeRules } from '@pinkas/domain';
import { ApiError, RpcClient } from '@pinkas/service-kit';
import { field, lengthErrors, readField, type Words } from '@pinkas/ui';
import { documentConfirmation, whatHappens } from '../frame/confirmation.js';
import { errorText } from '../frame/message-pages.js';
import { ConsolePage, PageController, type PageReply, redirect } from '../http/console-page.js';
import { limitsOf } from '../http/form-limits.js';
import type { MemberVisit } from '../http/visit.js';

const texts = {
  title: { he: 'ביטול', en: 'Cancel' },
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

function confirmCancellation(
  visit: MemberVisit,
  document: IssuedDocument,
  error: string | null,
  wrong?: { readonly reason: string; readonly error: string },
): PageReply {
  return documentConfirmation(visit, document, {
    title: texts.title,
    content: whatHappens(visit, [texts.stays, texts.says, texts.messages, texts.source]),
    fields: field({
      name: 'reason',
      label: visit.t(texts.reason),
      hint: visit.t(texts.reasonHint),
      value: wrong?.reason ?? '',
      error: wrong?.error,
    }),
    button: { text: visit.t(texts.confirm), kind: 'danger' },
    error,
    status: error === null && !wrong ? 200 : 422,
  });
}

/** Cancels a document that is no accounting document. */
@PageController({ path: '/documents/:id/cancel', access: 'issuer', books: true })
export class CancellationPages {
  constructor(private readonly rpc: RpcClient) {}

  @ConsolePage({ method: 'GET', changes: 'book' })
  async confirm(visit: MemberVisit): Promise<PageReply> {
    const { bookId, params } = visit;
    const { document, state } = await this.rpc.call(getDocument, {
      business_id: bookId,
      document_id: params.id ?? '',
    });
    if (state.status === 'cancelled' || !documentTypeRules[document.type].cancellable) {
      return redirect(visit.link(`/documents/${document.id}`));
    }
    return confirmCancellation(visit, document, null);
  }

  @ConsolePage({ method: 'POST', changes: 'book', timeoutMs: timeLimitsMs.cancelDocument })
  async cancel(visit: MemberVisit): Promise<PageReply> {
    const { bookId, form, language, params, session } = visit;
    const key = { business_id: bookId, document_id: params.id ?? '' };
    const reason = readField(form, 'reason');
    const errors = lengthErrors({ reason }, limits, language);
    if (errors.reason !== undefined) {
      const { document } = await this.rpc.call(getDocument, key);
      return confirmCancellation(visit, document, null, { reason, error: errors.reason });
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
      return confirmCancellation(visit, document, errorText(error, language));
    }
    return redirect(visit.link(`/documents/${key.document_id}`), { outcome: 'cancelled' });
  }
}

const isRefusal = ({ code }: ApiError) =>
  code === 'use_credit_note' || code === 'already_cancelled' || code === 'linked_document_closed';
