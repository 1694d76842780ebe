import {
  type EntryRefusal,
  enterAllocationNumber,
  getDocumentFacts,
  type ReplyOf,
  requestAllocationNumber,
  timeLimitsMs,
} from '@pinkas/contracts';
import { dayInIsrael, whyNoNumber } from '@pinkas/domain';
import { type Clock, InjectClock, RpcClient } from '@pinkas/service-kit';
import {
  amount,
  button,
  field,
  form,
  html,
  isolate,
  leftToRight,
  linkButton,
  type Markup,
  notice,
  pageHead,
  type Words,
} from '@pinkas/ui';
import { documentName, effectList } from '../frame/parts.js';
import { noNumber } from '../frame/refusal-words.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';

const texts = {
  title: { he: 'הקלדת מספר הקצאה', en: 'Type in an allocation number' },
  what: { he: 'מה קורה בשמירה', en: 'What happens next' },
  source: {
    he: 'מקלידים רק מספר שרשות המסים נתנה לחשבונית הזאת, למשל באזור האישי באתר שלה.',
    en: 'Type in only a number that the tax authority gave for this invoice, for example in the personal area of its site.',
  },
  printed: {
    he: 'המספר יודפס בגרסה הבאה של ה-PDF ויופיע בדף המסמך, בייצוא ובדוחות; מי שקיבל את החשבונית בלי מספר יקבל הודעה.',
    en: 'It is printed on the next revision of the PDF and is on the page, in exports and reports; those who were sent the invoice without it get a message.',
  },
  ends: {
    he: 'בקשות אוטומטיות למספר נפסקות. ביומן השינויים נרשם מי הקליד ומתי.',
    en: 'Automatic requests for a number end. The audit trail records who typed it in, and when.',
  },
  final: { he: 'מספר שהוקלד אי אפשר לשנות.', en: 'It cannot be changed afterwards.' },
  number: { he: 'מספר הקצאה, תשע ספרות', en: 'Allocation number, nine digits' },
  hint: {
    he: 'תשע הספרות הימניות של המספר של רשות המסים.',
    en: "The rightmost nine digits of the authority's number.",
  },
  confirm: { he: 'שמירת המספר', en: 'Save the number' },
  form: { he: 'יש להקליד תשע ספרות, בלי רווחים וסימנים.', en: 'Type nine digits, without spaces or signs.' },
  has: { he: 'למסמך יש כבר מספר הקצאה:', en: 'The document has an allocation number already:' },
  other: { he: 'המספר הזה שייך למסמך אחר:', en: 'This number is that of another document:' },
  otherOf: {
    he: 'המספר הזה שייך למסמך אחר של העסק.',
    en: 'This number is that of another document of the business.',
  },
} as const satisfies Record<string, Words>;

type Facts = ReplyOf<typeof getDocumentFacts>;

const keyOf = ({ bookId, params }: MemberVisit) => ({ business_id: bookId, document_id: params.id ?? '' });

/** What is sent to the tax authority about a document: its business is that of the issue, but for the connection. */
const sentOf = ({ book }: MemberVisit, { document, business, artifact_sha256 }: Facts) => ({
  document,
  business: { ...business, tax_authority_connected: book.tax_authority_connected },
  artifact_sha256,
});

interface Entered {
  readonly text: string;
  readonly error: Markup | string;
}

function entryPage(visit: MemberVisit, { document }: Facts, entered: Entered | null): PageReply {
  const { csrfToken, language, t, link } = visit;
  const at = link(`/documents/${document.id}`);
  const title = `${t(texts.title)}: ${documentName(document, language)}`;
  const back = linkButton({ href: at, text: t(words.back), kind: 'quiet' });
  const number = field({
    name: 'number',
    label: t(texts.number),
    hint: t(texts.hint),
    value: entered?.text ?? '',
    required: true,
    ltr: true,
  });
  return page(
    title,
    html`${pageHead({
      title,
      language,
      crumbs: [{ text: documentName(document, language), href: at }],
      lead: html`${isolate(document.customer.name, language)}, ${amount(document.totals.total, language)}`,
    })}
${entered && notice('error', entered.error)}
<section class="card">
  <h2>${t(texts.what)}</h2>
  ${effectList([texts.source, texts.printed, texts.ends, texts.final].map((effect) => t(effect)))}
  ${form({
    action: `${at}/number`,
    csrfToken,
    content: number,
    acts: html`${button({ text: t(texts.confirm) })}${back}`,
  })}
</section>`,
    entered ? 422 : 200,
  );
}

/** The page of a document that can have no number. */
function barred({ t, link, params }: MemberVisit, why: Markup | string): PageReply {
  const back = linkButton({
    href: link(`/documents/${params.id}`),
    text: t(words.back),
    kind: 'quiet',
  });
  return page(
    t(texts.title),
    html`${notice('error', why)}
${back}`,
    409,
  );
}

function whyNotTaken(
  { t, link }: MemberVisit,
  refusal: EntryRefusal,
  { number, other }: ReplyOf<typeof enterAllocationNumber>,
): Markup | string {
  switch (refusal) {
    case 'form':
      return t(texts.form);
    case 'has_number':
      return html`${t(texts.has)} ${leftToRight(number ?? '')}`;
    case 'of_other': {
      if (!other) {
        return t(texts.otherOf);
      }
      const address = link(`/documents/${other.document_id}`);
      return html`${t(texts.other)}
<a href="${address}">${leftToRight(String(other.document_number))}</a>`;
    }
    default:
      return t(noNumber[refusal]);
  }
}

/** The allocation number of a document that has none. */
@PageController({ path: '/documents/:id', access: 'owner', books: true })
export class NumberPages {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  /** The form for a number that an owner got elsewhere. */
  @ConsolePage({ method: 'GET', path: '/number', changes: 'book', freshProof: true })
  async show(visit: MemberVisit): Promise<PageReply> {
    const { t } = visit;
    const facts = await this.rpc.call(getDocumentFacts, keyOf(visit));
    const { allocation_number: number } = facts.state;
    if (number !== null) {
      return barred(visit, html`${t(texts.has)} ${leftToRight(number)}`);
    }
    const why = whyNoNumber(facts.document, facts.business, dayInIsrael(this.clock.now()));
    return why === null ? entryPage(visit, facts, null) : barred(visit, t(noNumber[why]));
  }

  /** Takes a number that an owner has typed in. */
  @ConsolePage({ method: 'POST', path: '/number', changes: 'book', freshProof: true })
  async enter(visit: MemberVisit): Promise<PageReply> {
    const { form: sent, params, session } = visit;
    const facts = await this.rpc.call(getDocumentFacts, keyOf(visit));
    const text = (sent.get('number') ?? '').trim().slice(0, 100);
    const reply = await this.rpc.call(enterAllocationNumber, {
      ...sentOf(visit, facts),
      entered: text,
      person_id: session.personId,
    });
    if (reply.refusal === null) {
      return redirect(visit.link(`/documents/${params.id}`), { outcome: 'number_entered' });
    }
    return entryPage(visit, facts, { text, error: whyNotTaken(visit, reply.refusal, reply) });
  }

  /** Requests the number of a document that needs none. */
  @ConsolePage({
    method: 'POST',
    path: '/request-number',
    access: 'issuer',
    changes: 'book',
    timeoutMs: timeLimitsMs.operatorCall,
  })
  async request(visit: MemberVisit): Promise<PageReply> {
    const { params, session } = visit;
    const facts = await this.rpc.call(getDocumentFacts, keyOf(visit));
    const {
      number,
      refusal,
      next_attempt_at: next,
    } = await this.rpc.call(requestAllocationNumber, {
      ...sentOf(visit, facts),
      person_id: session.personId,
    });
    const at = visit.link(`/documents/${params.id}`);
    if (refusal !== null) {
      return redirect(at, { outcome: `not_requested_${refusal}` });
    }
    if (number !== null) {
      return redirect(at, { outcome: 'issued' });
    }
    return redirect(at, { outcome: next === null ? 'not_given' : 'failed' });
  }
}
