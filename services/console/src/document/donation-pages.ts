import {
  cancelDonation,
  getDocument,
  type IssuedDocument,
  reportDonation,
  timeLimitsMs,
} from '@pinkas/contracts';
import { isBlank } from '@pinkas/domain';
import { RpcClient } from '@pinkas/service-kit';
import { field, lengthErrors, readField, type Words } from '@pinkas/ui';
import { documentConfirmation, whatHappens } from '../frame/confirmation.js';
import { ConsolePage, PageController, type PageReply, redirect } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { canCancelReport, canReportLate } from './donation.js';

const cancelTexts = {
  title: { he: 'ביטול הדיווח על התרומה', en: 'Cancel the report of the donation' },
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

const reportTexts = {
  title: { he: 'דיווח על תרומה שלא דווחה', en: 'Report a donation that was not reported' },
  reported: {
    he: 'התרומה תדווח לרשות המסים, ומספר הדיווח יופיע בקבלה: PDF חדש, והודעה לתורם.',
    en: 'The donation is reported to the tax authority, and the number appears on the receipt: a new PDF, and a message to the donor.',
  },
  twice: {
    he: 'אם דיווחתם על הקבלה באתר הרשות, אל תדווחו כאן: שני דיווחים הם שתי תרומות.',
    en: "If you have reported the receipt at the authority's site, do not report it here: two reports are two donations.",
  },
  confirm: { he: 'דיווח עכשיו', en: 'Report now' },
} as const satisfies Record<string, Words>;

const reasonMax = 200;

const confirmCancellation = (
  visit: MemberVisit,
  document: IssuedDocument,
  error: string | null,
  reason = '',
) =>
  documentConfirmation(visit, document, {
    title: cancelTexts.title,
    content: whatHappens(visit, [cancelTexts.stays, cancelTexts.report, cancelTexts.says, cancelTexts.final]),
    fields: field({
      name: 'reason',
      label: visit.t(cancelTexts.reason),
      hint: visit.t(cancelTexts.reasonHint),
      value: reason,
      required: true,
    }),
    button: { text: visit.t(cancelTexts.confirm), kind: 'danger' },
    error,
  });

/** The report of a donation to the tax authority. */
@PageController({ path: '/documents/:id', access: 'owner', books: true })
export class DonationPages {
  constructor(private readonly rpc: RpcClient) {}

  /** The institution may have reported the donation by hand. */
  @ConsolePage({ method: 'GET', path: '/report-donation', changes: 'book' })
  async confirmReport(visit: MemberVisit): Promise<PageReply> {
    const { book, bookId, params } = visit;
    const key = { business_id: bookId, document_id: params.id ?? '' };
    const { document, state } = await this.rpc.call(getDocument, key);
    if (!canReportLate(document, state, book)) {
      return redirect(visit.link(`/documents/${document.id}`));
    }
    return documentConfirmation(visit, document, {
      title: reportTexts.title,
      content: whatHappens(visit, [reportTexts.reported, reportTexts.twice]),
      button: { text: visit.t(reportTexts.confirm) },
    });
  }

  /** Reports a donation whose institution was not connected to the tax authority when its receipt was issued. */
  @ConsolePage({ method: 'POST', path: '/report-donation', changes: 'book' })
  async report({ book, link, params, session }: MemberVisit): Promise<PageReply> {
    const document_id = params.id ?? '';
    const { donation } = await this.rpc.call(reportDonation, {
      document_id,
      person_id: session.personId,
      business: book,
    });
    const outcome = donation.status === 'not_required' ? 'donation_not_required' : 'donation_reporting';
    return redirect(link(`/documents/${document_id}`), { outcome });
  }

  @ConsolePage({ method: 'GET', path: '/cancel-donation', changes: 'book' })
  async confirmCancellation(visit: MemberVisit): Promise<PageReply> {
    const { bookId, params } = visit;
    const key = { business_id: bookId, document_id: params.id ?? '' };
    const { document, state } = await this.rpc.call(getDocument, key);
    return canCancelReport(state)
      ? confirmCancellation(visit, document, null)
      : redirect(visit.link(`/documents/${document.id}`));
  }

  /** Cancels the report of a donation; the receipt stays in the book. */
  @ConsolePage({
    method: 'POST',
    path: '/cancel-donation',
    changes: 'book',
    timeoutMs: timeLimitsMs.operatorCall,
  })
  async cancel(visit: MemberVisit): Promise<PageReply> {
    const { bookId, form, language, params, session } = visit;
    const key = { business_id: bookId, document_id: params.id ?? '' };
    const reason = readField(form, 'reason');
    const { reason: tooLong } = lengthErrors({ reason }, { reason: reasonMax }, language);
    if (isBlank(reason) || tooLong !== undefined) {
      const { document } = await this.rpc.call(getDocument, key);
      return confirmCancellation(visit, document, tooLong ?? visit.t(cancelTexts.needed), reason);
    }
    const { state } = await this.rpc.call(cancelDonation, { ...key, reason, person_id: session.personId });
    const outcome = state === 'cancelled' ? 'donation_cancelled' : 'donation_cancelling';
    return redirect(visit.link(`/documents/${key.document_id}`), { outcome });
  }
}
