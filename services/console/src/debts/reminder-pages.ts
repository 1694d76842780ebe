import { randomUUID } from 'node:crypto';
import { isUuid, proposeReminder, type ReplyOf, readStatement, sendReminder } from '@pinkas/contracts';
import { type Agorot, fromShekels, toShekels } from '@pinkas/domain';
import { ApiError, RpcClient } from '@pinkas/service-kit';
import {
  amount,
  button,
  card,
  checkbox,
  dayAndTime,
  emptyState,
  type FieldErrors,
  type FieldRule,
  fieldErrors,
  fieldGroup,
  form,
  formatMoney,
  hidden,
  html,
  isolate,
  join,
  type Markup,
  notice,
  pageHead,
  readField,
  type Words,
} from '@pinkas/ui';
import { ageWords } from '../frame/debt-words.js';
import { type FieldSpecs, fieldInput, readFields, rulesOf, type Values } from '../frame/form-fields.js';
import { documentName } from '../frame/parts.js';
import { draftActs, keepsTyping, typedNotice } from '../frame/typed-form.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';

const texts = {
  title: { he: 'תזכורת לתשלום', en: 'Payment reminder' },
  none: { he: 'אין יתרה לתשלום.', en: 'There is no balance due.' },
  documents: { he: 'על אילו מסמכים', en: 'About which documents' },
  documentsHint: {
    he: 'היתרות נבדקות שוב ברגע השליחה. מה ששולם עד אז אינו נכלל, ואם הכול שולם התזכורת אינה נשלחת.',
    en: 'Balances are checked again when it is sent. What is paid by then is left out; if all is paid, nothing is sent.',
  },
  recipient: { he: 'כתובת אימייל', en: 'Email address' },
  subject: { he: 'נושא', en: 'Subject' },
  text: { he: 'הטקסט', en: 'Text' },
  textHint: {
    he: 'מתחת לטקסט תופיע טבלה של המסמכים והיתרות, עם קישור לצפייה.',
    en: 'A table of the documents and their balances follows the text, with a link to the page.',
  },
  send: { he: 'שליחת התזכורת', en: 'Send the reminder' },
  tooEarly: {
    he: 'הלקוח, או אחד המסמכים, קיבל תזכורת בשלושת הימים האחרונים. אפשר לשלוח שוב החל מ-',
    en: 'The customer was reminded, or reminded of one of the documents, within the last three days. The next one may leave from',
  },
  quiet: { he: 'עכשיו שעות שקט. התזכורת תישלח ב-', en: 'These are quiet hours. The reminder will leave at' },
  onAccount: {
    he: 'ללקוח יש זכות בחשבון. התזכורת מציגה אותה ומבקשת רק את מה שמעבר לה; אם היא מכסה הכול, התזכורת אינה נשלחת:',
    en: 'The customer has credit on account. The reminder shows it and asks for what is left after it; if it covers all, nothing is sent:',
  },
  setOff: { he: 'קיזוז מול המסמכים', en: 'Set it off' },
  badRecipient: {
    he: 'הכתובת אינה תקינה, או שהיא חסומה לשליחה.',
    en: 'The address is not valid, or it is blocked.',
  },
  noDocument: {
    he: 'יש לבחור לפחות מסמך אחד שטרם שולם.',
    en: 'Choose at least one document that is not paid.',
  },
  soon: {
    he: 'הלקוח, או אחד המסמכים, קיבל תזכורת בשלושת הימים האחרונים.',
    en: 'The customer was reminded, or reminded of one of the documents, within the last three days.',
  },
  missing: { he: 'אי אפשר להשאיר ריק.', en: 'This cannot be empty.' },
} as const satisfies Record<string, Words>;

/** What a reminder would say, and what the customer has paid beyond open documents. */
type ProposedReminder = ReplyOf<typeof proposeReminder> & { readonly onAccount: Agorot };

/** What a person has written into the form. */
interface Written {
  readonly id: string;
  readonly documents: readonly string[];
  readonly fields: Values<keyof typeof reminderFields>;
}

/** What a person writes. */
const reminderFields = {
  recipient: {
    word: texts.recipient,
    type: 'email',
    refused: texts.badRecipient,
    more: { required: true },
  },
  subject: { word: texts.subject, refused: texts.missing, more: { required: true } },
  text: {
    word: texts.text,
    hint: texts.textHint,
    type: 'area',
    refused: texts.missing,
    more: { rows: 10, required: true },
  },
} as const satisfies FieldSpecs;

const rules: readonly FieldRule[] = [
  ...rulesOf(reminderFields),
  { path: '/document_ids', field: 'form', text: texts.noDocument },
  { path: '/customer_id', field: 'form', text: texts.soon },
];

/** A person reads what a reminder would say, and may change it, before it leaves. */
@PageController({ access: 'issuer', path: '/debts/:id/reminder', books: true })
export class ReminderPages {
  constructor(private readonly rpc: RpcClient) {}

  @ConsolePage({ method: 'GET', changes: 'book', draft: true })
  async show(visit: MemberVisit): Promise<PageReply> {
    const proposed = await findProposal(this.rpc, visit);
    const { typed } = visit;
    return proposed === null
      ? nothingOpen(visit)
      : reminderPage(visit, proposed, typed ? readForm(typed.form) : written(proposed), {});
  }

  /** Sends it; a form that is sent twice sends it once. */
  @ConsolePage({ method: 'POST', changes: 'book', draft: true })
  async send(visit: MemberVisit): Promise<PageReply> {
    const { book, language, link, params, session } = visit;
    const sent = readForm(visit.form);
    try {
      await this.rpc.call(sendReminder, {
        business: book,
        customer_id: params.id ?? '',
        document_ids: sent.documents.filter(isUuid),
        reminder_id: sent.id,
        ...sent.fields,
        person_id: session.personId,
      });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'validation_error')) {
        throw error;
      }
      const proposed = await findProposal(this.rpc, visit);
      const errors = fieldErrors(error.details, { language, rules });
      return proposed === null ? nothingOpen(visit) : reminderPage(visit, proposed, sent, errors);
    }
    return redirect(link(`/customers/${params.id}/statement`), {
      outcome: `reminded ${sent.documents.find(isUuid)}`,
    });
  }
}

async function findProposal(
  rpc: RpcClient,
  { book, bookId, params }: MemberVisit,
): Promise<ProposedReminder | null> {
  const customer_id = params.id ?? '';
  try {
    const proposed = await rpc.call(proposeReminder, { business: book, customer_id });
    const account = { business_id: bookId, customer_id, limit: 1, after: null };
    const { open, closing } = await rpc.call(readStatement, account);
    return { ...proposed, onAccount: fromShekels(open) - fromShekels(closing) };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') {
      return null;
    }
    throw error;
  }
}

/** What is late and may be reminded of is chosen from the start; where nothing is late, all of it. */
function written({ debts, recipient, subject, text }: ProposedReminder): Written {
  const allowed = debts.filter(({ allowed_at }) => allowed_at === null);
  const late = allowed.filter(({ days_late }) => days_late > 0);
  const chosen = late.length > 0 ? late : allowed;
  return {
    id: randomUUID(),
    documents: chosen.map(({ document }) => document.id),
    fields: { recipient: recipient ?? '', subject, text },
  };
}

function readForm(sent: URLSearchParams): Written {
  const id = readField(sent, 'reminder_id');
  return {
    id: isUuid(id) ? id : randomUUID(),
    documents: sent.getAll('document'),
    fields: readFields(reminderFields, sent),
  };
}

function nothingOpen(visit: MemberVisit): PageReply {
  const { t } = visit;
  return page(
    t(texts.title),
    html`
${head(visit, null)}
${emptyState({ title: t(texts.none) })}`,
    404,
  );
}

function reminderPage(
  visit: MemberVisit,
  proposed: ProposedReminder,
  sent: Written,
  errors: FieldErrors,
): PageReply {
  const { csrfToken, language, t, link, params } = visit;
  const isWrong = Object.keys(errors).length > 0;
  const content = form({
    action: link(`/debts/${params.id}/reminder`),
    csrfToken,
    data: keepsTyping,
    content: fields(visit, proposed, sent, errors),
    acts: html`${button({ text: t(texts.send) })}
    ${draftActs(visit)}`,
  });
  const credit = html`${t(texts.onAccount)} ${amount(toShekels(proposed.onAccount), language)}
<a href="${link(`/customers/${params.id}/set-off`)}">${t(texts.setOff)}</a>`;
  return page(
    t(texts.title),
    html`
${head(visit, proposed)}
${errors.form === undefined ? null : notice('error', errors.form)}
${typedNotice(visit)}
${waits(proposed, visit)}
${proposed.onAccount > 0n ? notice('info', credit) : null}
${proposed.allowed_at === null ? card({ id: 'reminder', title: t(texts.title), titleHidden: true, content }) : null}`,
    isWrong ? 422 : 200,
  );
}

function head({ language, t, link, params }: MemberVisit, proposed: ProposedReminder | null): Markup {
  const name = proposed?.debts[0]?.document.customer.name;
  return pageHead({
    title: t(texts.title),
    language,
    crumbs: [
      { text: t(words.debts), href: link('/debts') },
      {
        text: name === undefined ? t(words.statement) : isolate(name, language),
        href: link(`/customers/${params.id}/statement`),
      },
    ],
  });
}

/** Why it is not sent now, or not at once. */
function waits({ allowed_at, quiet_until }: ProposedReminder, { language, t }: MemberVisit): Markup | null {
  if (allowed_at !== null) {
    return notice('warn', html`${t(texts.tooEarly)} ${dayAndTime(allowed_at, language)}`);
  }
  return quiet_until === null
    ? null
    : notice('info', html`${t(texts.quiet)} ${dayAndTime(quiet_until, language)}`);
}

function fields(
  { language, t }: MemberVisit,
  proposed: ProposedReminder,
  sent: Written,
  errors: FieldErrors,
): Markup {
  const boxes = proposed.debts.map(({ document, balance, age }) =>
    checkbox({
      name: 'document',
      value: document.id,
      label: documentName(document, language),
      checked: sent.documents.includes(document.id),
      hint: `${formatMoney(balance)} ₪ · ${t(ageWords[age])}`,
    }),
  );
  const given = { values: sent.fields, errors, language };
  const inputs = Object.entries(reminderFields).map(([name, spec]) => fieldInput(name, spec, given));
  return html`
${hidden('reminder_id', sent.id)}
${fieldGroup(t(texts.documents), html`${boxes}`, t(texts.documentsHint))}
${join(inputs, '\n')}`;
}
