import {
  type Allocation,
  type DocumentHead,
  type FailedMessage,
  getDocument,
  listDeliveryFailures,
  listDocuments,
  listSuppressions,
  listUnresolvedAllocations,
  type ReplyOf,
  reviewDocuments,
  type Suppression,
  showConnection,
  showSigningCertificate,
  summarizeDocuments,
} from '@pinkas/contracts';
import { dayInIsrael, formatDay } from '@pinkas/domain';
import { type Clock, InjectClock, RpcClient } from '@pinkas/service-kit';
import { html, isolate, type Language, leftToRight, type Markup } from '@pinkas/ui';
import { ConsolePage, type PageReply, page } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { isAtLeast } from '../people/roles.js';
import { outcomeNotice } from './document/outcomes.js';
import { amount, dayAndTime, documentTable, notice, typeName } from './parts.js';
import { reviewed } from './settlement.js';
import { postForm } from './shell.js';
import { unlessAway } from './unless-away.js';
import { type Words, words } from './words.js';

const texts = {
  needs: { he: 'דורש טיפול', en: 'Needs attention' },
  nothing: { he: 'הכול מטופל. אין דבר שמחכה לך.', en: 'All is well. Nothing waits for you.' },
  refused: { he: 'רשות המסים סירבה לתת מספר הקצאה', en: 'The tax authority refused an allocation number' },
  gaveUp: { he: 'לא התקבל מספר הקצאה', en: 'No allocation number was received' },
  retry: { he: 'בקשה חוזרת', en: 'Ask again' },
  failedMessage: { he: 'הודעה לא נשלחה אל', en: 'A message was not sent to' },
  resend: { he: 'שליחה חוזרת', en: 'Send again' },
  suppressed: { he: 'לא נשלחות הודעות אל', en: 'No messages are sent to' },
  allow: { he: 'לאפשר שוב', en: 'Allow again' },
  otherAddress: { he: 'שליחה לכתובת אחרת', en: 'Send to another address' },
  connectionEnds: { he: 'החיבור לרשות המסים מסתיים ב-', en: 'The connection to the tax authority ends on' },
  connectionEnded: { he: 'החיבור לרשות המסים הסתיים', en: 'The connection to the tax authority has ended' },
  connectionMore: {
    he: 'בלי חיבור אין מספרי הקצאה. ההתחברות אורכת כשתי דקות.',
    en: 'Without it there are no allocation numbers. Logging in takes about two minutes.',
  },
  connect: { he: 'התחברות', en: 'Connect' },
  certificateEnds: {
    he: 'תעודת החתימה של המסמכים מסתיימת ב-',
    en: 'The certificate that signs the documents ends on',
  },
  certificateMore: { he: 'יש לפנות למי שמפעיל את המערכת.', en: 'Contact the operator of the system.' },
  month: { he: 'החודש', en: 'This month' },
  noneThisMonth: { he: 'עדיין לא הופקו מסמכים החודש.', en: 'No documents this month yet.' },
  kind: { he: 'סוג', en: 'Type' },
  count: { he: 'מסמכים', en: 'Documents' },
  net: { he: 'לפני מע"מ', en: 'Before VAT' },
  vat: { he: 'מע"מ', en: 'VAT' },
  total: { he: 'סך הכול', en: 'Total' },
  latest: { he: 'המסמכים האחרונים', en: 'Latest documents' },
  noDocuments: {
    he: 'כאן יופיעו המסמכים. הם מופקים דרך ה-API: בהגדרות החיבור יוצרים מפתח, ושם גם שורת curl לניסיון.',
    en: 'Documents appear here. They are issued over the API: create a key in the connection settings, where there is also a curl line to try.',
  },
  all: { he: 'לכל המסמכים', en: 'All documents' },
  more: { he: 'ועוד', en: 'And more' },
  unavailable: {
    he: 'חלק מהמידע אינו זמין כרגע; אפשר לטעון את הדף שוב בעוד דקה.',
    en: 'Some facts are not available right now; load the page again in a minute.',
  },
} as const satisfies Record<string, Words>;

const shownMax = 10;
const latestCount = 8;
const warnMs = 30 * 24 * 60 * 60 * 1000;

/** The reply to one of several calls; null: its service did not answer. */
type Answer<T> = T | null;

interface UnresolvedAllocation {
  readonly allocation: Allocation;
  readonly document: DocumentHead;
}

/** The first page of a business: what needs a person, the month, and the latest documents. */
@ConsolePage({ method: 'GET', path: '/', access: 'reader', books: true })
export class ShowToday {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { bookId, language, business } = visit;
    const today = dayInIsrael(this.clock.now());
    const from = `${today.slice(0, 7)}-01`;
    // A service that is away takes its own part of the page with it, and no other.
    const [summary, latest, review, allocations, failures, suppressions, connection, certificate] =
      await Promise.all([
        unlessAway(this.rpc.call(summarizeDocuments, { business_id: bookId, from, to: today })),
        unlessAway(
          this.rpc.call(listDocuments, {
            business_id: bookId,
            include_cancelled: true,
            settlement: true,
            limit: latestCount,
            before: null,
          }),
        ),
        unlessAway(this.rpc.call(reviewDocuments, { business_id: bookId })),
        unlessAway(this.#unresolved(bookId)),
        unlessAway(this.rpc.call(listDeliveryFailures, { business_id: bookId })),
        unlessAway(this.rpc.call(listSuppressions, { business_id: bookId })),
        unlessAway(this.rpc.call(showConnection, { business_id: business.id })),
        unlessAway(this.rpc.call(showSigningCertificate, { business_id: bookId })),
      ]);
    const items = [
      ...this.#connectionItems(visit, connection),
      ...this.#certificateItems(language, certificate),
      ...(review?.notes ?? []).flatMap((row) => {
        const shown = reviewed(visit, row);
        return shown ? [item(shown.title, shown.detail, shown.action)] : [];
      }),
      ...(allocations ?? []).map((row) => allocationItem(visit, row)),
      ...messageItems(visit, failures?.failures ?? [], suppressions?.suppressions ?? []),
    ];
    const isIncomplete = [summary, latest, review, allocations, failures, suppressions].includes(null);
    return page(
      words.today[language],
      html`<h1>${words.today[language]}</h1>
${outcomeNotice(visit.outcome, language)}
${isIncomplete ? notice('error', texts.unavailable[language]) : null}
${attention(items, isIncomplete, language)}
${month(summary, visit)}
${latestDocuments(latest, visit)}`,
    );
  }

  async #unresolved(bookId: string): Promise<UnresolvedAllocation[]> {
    const { allocations } = await this.rpc.call(listUnresolvedAllocations, {
      business_id: bookId,
      limit: shownMax,
    });
    return Promise.all(
      allocations.map(async (allocation) => {
        const { document } = await this.rpc.call(getDocument, {
          business_id: bookId,
          document_id: allocation.document_id,
        });
        return { allocation, document };
      }),
    );
  }

  #connectionItems(visit: MemberVisit, reply: Answer<ReplyOf<typeof showConnection>>): Markup[] {
    const { language, business, isTest } = visit;
    const connection = reply?.connection;
    if (isTest || !business.tax_authority_connected || !connection || connection.state === 'connected') {
      return [];
    }
    const hasEnded = connection.state === 'ended' || connection.until === null;
    const title = hasEnded
      ? html`${texts.connectionEnded[language]}`
      : html`${texts.connectionEnds[language]} ${leftToRight(formatDay(dayInIsrael(new Date(connection.until ?? '')), language))}`;
    return [
      item(
        title,
        html`${texts.connectionMore[language]}`,
        html`<a class="button" href="${visit.link('/authority')}">${texts.connect[language]}</a>`,
      ),
    ];
  }

  #certificateItems(
    language: Language,
    certificate: Answer<ReplyOf<typeof showSigningCertificate>>,
  ): Markup[] {
    if (!certificate || Date.parse(certificate.not_after) - this.clock.now().getTime() > warnMs) {
      return [];
    }
    const until = formatDay(dayInIsrael(new Date(certificate.not_after)), language);
    return [
      item(
        html`${texts.certificateEnds[language]} ${leftToRight(until)}`,
        html`${texts.certificateMore[language]}`,
        null,
      ),
    ];
  }
}

function item(title: Markup, detail: Markup, action: Markup | null): Markup {
  return html`<li class="item"><div><strong>${title}</strong><p>${detail}</p></div>${action && html`<div class="actions">${action}</div>`}</li>`;
}

/** A button for those who issue; who may only read gets a link to the document. */
function action(visit: MemberVisit, path: string, fields: Markup, word: Words): Markup | null {
  const { csrfToken, language, role } = visit;
  return isAtLeast(role, 'issuer')
    ? postForm(visit.link(path), csrfToken, html`${fields}<button>${word[language]}</button>`)
    : null;
}

const backToToday = html`<input type="hidden" name="back" value="today">`;

function allocationItem(visit: MemberVisit, { allocation, document }: UnresolvedAllocation): Markup {
  const { language } = visit;
  const title = (allocation.state === 'refused' ? texts.refused : texts.gaveUp)[language];
  const codes =
    allocation.refusal_codes.length === 0
      ? null
      : html` (${leftToRight(allocation.refusal_codes.join(', '))})`;
  return item(
    html`${title}: <a href="${visit.link(`/documents/${document.id}`)}">${typeName(document.type, language)} ${leftToRight(String(document.number))}</a>, ${amount(document.totals.total, language)}`,
    html`${isolate(allocation.reason ?? '', language)}${codes} · ${dayAndTime(allocation.decided_at, language)}`,
    action(visit, `/documents/${document.id}/allocation`, backToToday, texts.retry),
  );
}

/** Messages that have failed and addresses that get none, the latest first: one row for one cause. */
function messageItems(
  visit: MemberVisit,
  failures: readonly FailedMessage[],
  suppressions: readonly Suppression[],
): Markup[] {
  const shown = failures.slice(0, shownMax);
  const explained = new Set(shown.map((row) => row.suppressed_address));
  return [
    ...shown.map((row) => ({ at: row.failed_at, markup: failureItem(visit, row) })),
    ...suppressions
      .filter(({ address }) => !explained.has(address))
      .slice(0, shownMax)
      .map((row) => ({ at: row.since, markup: suppressionItem(visit, row) })),
  ]
    .sort((one, other) => (one.at > other.at ? -1 : Number(one.at < other.at)))
    .map(({ markup }) => markup);
}

function failureItem(visit: MemberVisit, row: FailedMessage): Markup {
  const { language } = visit;
  const path = `/documents/${row.document_id}`;
  return item(
    html`${texts.failedMessage[language]} ${leftToRight(row.recipient)}: <a href="${visit.link(path)}">${typeName(row.document_type, language)} ${leftToRight(String(row.document_number))}</a>`,
    html`${isolate(row.reason, language)} · ${dayAndTime(row.failed_at, language)}`,
    row.suppressed_address === null
      ? action(visit, `${path}/resend`, backToToday, texts.resend)
      : suppressedActions(visit, row.suppressed_address, path),
  );
}

/** An address that is right is allowed again; instead of a wrong one another is typed on the page of the document. */
function suppressedActions(visit: MemberVisit, address: string, path: string): Markup | null {
  const allow = allowAction(visit, address);
  return (
    allow &&
    html`${allow}<a class="button quiet" href="${visit.link(path)}#send">${texts.otherAddress[visit.language]}</a>`
  );
}

function suppressionItem(visit: MemberVisit, row: Suppression): Markup {
  const { language } = visit;
  return item(
    html`${texts.suppressed[language]} ${leftToRight(row.address)}`,
    html`${isolate(row.detail ?? row.reason, language)} · ${dayAndTime(row.since, language)}`,
    allowAction(visit, row.address),
  );
}

function allowAction(visit: MemberVisit, address: string): Markup | null {
  const fields = html`<input type="hidden" name="address" value="${address}">`;
  return action(visit, '/suppressions/remove', fields, texts.allow);
}

function attention(items: readonly Markup[], isIncomplete: boolean, language: Language): Markup {
  if (items.length === 0) {
    return isIncomplete
      ? html``
      : html`<section class="card calm" aria-labelledby="attention"><h2 id="attention" class="visually-hidden">${texts.needs[language]}</h2><p>${texts.nothing[language]}</p></section>`;
  }
  return html`<section class="card attention" aria-labelledby="attention"><h2 id="attention">${texts.needs[language]} <span class="count">${items.length}</span></h2><ul class="items">${items}</ul></section>`;
}

function month(summary: Answer<ReplyOf<typeof summarizeDocuments>>, { language }: MemberVisit): Markup {
  if (!summary) {
    return html``;
  }
  const rows = summary.types.map(
    (row) =>
      html`<tr><th scope="row">${typeName(row.type, language)}</th><td class="figure" data-label="${texts.count[language]}">${row.documents}</td><td class="figure" data-label="${texts.net[language]}">${amount(row.net, language)}</td><td class="figure" data-label="${texts.vat[language]}">${amount(row.vat, language)}</td><td class="figure" data-label="${texts.total[language]}">${amount(row.total, language)}</td></tr>`,
  );
  const table =
    rows.length === 0
      ? html`<p>${texts.noneThisMonth[language]}</p>`
      : html`<div class="table pairs"><table><thead><tr><th scope="col">${texts.kind[language]}</th><th scope="col" class="figure">${texts.count[language]}</th><th scope="col" class="figure">${texts.net[language]}</th><th scope="col" class="figure">${texts.vat[language]}</th><th scope="col" class="figure">${texts.total[language]}</th></tr></thead><tbody>${rows}</tbody></table></div>`;
  return html`<section class="card" aria-labelledby="month"><h2 id="month">${texts.month[language]}</h2>${table}</section>`;
}

function latestDocuments(latest: Answer<ReplyOf<typeof listDocuments>>, visit: MemberVisit): Markup {
  const { language } = visit;
  if (!latest) {
    return html``;
  }
  const content =
    latest.documents.length === 0
      ? html`<p>${texts.noDocuments[language]}</p>`
      : html`${documentTable(latest.documents, (id) => visit.link(`/documents/${id}`), language)}<p><a href="${visit.link('/documents')}">${texts.all[language]}</a></p>`;
  return html`<section class="card" aria-labelledby="latest"><h2 id="latest">${texts.latest[language]}</h2>${content}</section>`;
}
