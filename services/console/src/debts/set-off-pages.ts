import { randomUUID } from 'node:crypto';
import {
  addSetOff,
  getDocument,
  isUuid,
  listDebts,
  type ReplyOf,
  removeSetOff,
  type SetOff,
  setOffDocumentsMax,
  showCustomer,
} from '@pinkas/contracts';
import { fromShekels, toShekels } from '@pinkas/domain';
import { ApiError, RpcClient } from '@pinkas/service-kit';
import {
  button,
  card,
  dayAndTime,
  emptyState,
  form,
  formatMoney,
  hidden,
  html,
  isolate,
  largeAmount,
  linkButton,
  type Markup,
  moneyField,
  notice,
  pageHead,
  postForm,
  readField,
  readMoney,
  stats,
  table,
  type Words,
} from '@pinkas/ui';
import { ageWords } from '../frame/debt-words.js';
import { balanceOf, documentName, effectList } from '../frame/parts.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';

const texts = {
  title: { he: 'קיזוז מזכות בחשבון', en: 'Set off credit on account' },
  none: { he: 'אין מה לקזז', en: 'There is nothing to set off' },
  noneMore: {
    he: 'צריך שתהיה ללקוח זכות בחשבון, וגם מסמך עם יתרה לתשלום.',
    en: 'The customer needs credit on account, and a document with a balance due.',
  },
  onAccount: { he: 'זכות בחשבון', en: 'Credit on account' },
  amounts: { he: 'כמה לקזז מכל מסמך', en: 'How much for each document' },
  confirm: { he: 'קיזוז', en: 'Set off' },
  wrong: {
    he: 'דבר לא קוזז. הסכומים צריכים להיות גדולים מאפס, עד היתרה של כל מסמך ועד הזכות שבחשבון; ייתכן שהיתרות השתנו.',
    en: 'Nothing was set off. Amounts have to be above zero, up to the balance of each document and the credit on account; balances may have changed.',
  },
  balances: {
    he: 'היתרה לתשלום של המסמכים והזכות בחשבון קטנות באותו סכום. יתרת הכרטסת אינה משתנה.',
    en: 'The balance due of the documents and the credit on account fall by the same amount. The balance of the statement stays.',
  },
  documents: { he: 'שום מסמך אינו משתנה ואינו מופק.', en: 'No document is changed or issued.' },
  undone: { he: 'אפשר להסיר את הקיזוז בדף המסמך.', en: 'It can be removed on the page of the document.' },
  of: { he: 'קיזוזים', en: 'Set-offs' },
  noneOf: { he: 'לא קוזז דבר מול המסמך.', en: 'Nothing is set off against this document.' },
  when: { he: 'מתי', en: 'When' },
  sum: { he: 'סכום', en: 'Amount' },
  act: { he: 'פעולה', en: 'Action' },
  remove: { he: 'הסרת הקיזוז', en: 'Remove' },
  asksNothing: {
    he: 'המסמך אינו דורש עוד תשלום: הסכומים כבר חזרו לחשבון הלקוח.',
    en: 'The document asks for no payment any more: the amounts are on the account of the customer again.',
  },
  removeWhat: {
    he: 'הסרה מחזירה את הסכום לזכות בחשבון, והיתרה לתשלום של המסמך גדלה בו. ההסרה נרשמת ביומן.',
    en: 'Removing returns the amount to the account, and the balance due of the document grows by it. It is recorded in the trail.',
  },
  removed: { he: 'הקיזוז הוסר.', en: 'The set-off is removed.' },
} as const satisfies Record<string, Words>;

type Account = ReplyOf<typeof listDebts>;

/** Money that a customer has on account is set against what they have left to pay. */
@PageController({ access: 'issuer', path: '/customers/:id/set-off', books: true })
export class SetOffPages {
  constructor(private readonly rpc: RpcClient) {}

  /** The amounts are those that pay the first due first, until a person changes them. */
  @ConsolePage({ method: 'GET', changes: 'book' })
  async show(visit: MemberVisit): Promise<PageReply> {
    const account = await this.#account(visit);
    return accountPage(visit, account, { id: randomUUID(), amounts: proposed(account) });
  }

  /** Sets it off; a form that is sent twice does so once. */
  @ConsolePage({ method: 'POST', changes: 'book' })
  async setOff(visit: MemberVisit): Promise<PageReply> {
    const { bookId, form: sent, link, params, session } = visit;
    const id = readField(sent, 'set_off_id');
    const given = new Map(
      [...sent.keys()].flatMap((name) => {
        const [field, place = ''] = name.split('.');
        const [document_id, typed] = [readField(sent, `document.${place}`), readField(sent, name)];
        return field === 'amount' && isUuid(document_id) && typed !== ''
          ? [[document_id, typed] as const]
          : [];
      }),
    );
    const amounts = [...given].map(([document_id, typed]) => ({
      document_id,
      amount: readMoney(typed) ?? 0,
    }));
    try {
      if (!isUuid(id) || amounts.length === 0 || amounts.length > setOffDocumentsMax) {
        throw new ApiError('validation_error');
      }
      await this.rpc.call(addSetOff, {
        ...{ business_id: bookId, customer_id: params.id ?? '', set_off_id: id, amounts },
        person_id: session.personId,
      });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'validation_error')) {
        throw error;
      }
      return accountPage(visit, await this.#account(visit), {
        id: randomUUID(),
        amounts: given,
        isWrong: true,
      });
    }
    return redirect(link(`/customers/${params.id}/statement`), { outcome: 'set_off' });
  }

  /** @throws ApiError `not_found` where the business has no such customer. */
  async #account({ bookId, params }: MemberVisit): Promise<Account> {
    const key = { business_id: bookId, customer_id: params.id ?? '' };
    const [account] = await Promise.all([
      this.rpc.call(listDebts, { ...key, limit: setOffDocumentsMax, after: null }),
      this.rpc.call(showCustomer, key),
    ]);
    return account;
  }
}

/** What is set against a document, and its removal. */
@PageController({ access: 'issuer', path: '/documents/:id/set-offs', books: true })
export class DocumentSetOffPages {
  constructor(private readonly rpc: RpcClient) {}

  @ConsolePage({ method: 'GET', changes: 'book' })
  async show(visit: MemberVisit): Promise<PageReply> {
    const { bookId, language, t, link, outcome, params } = visit;
    const {
      document,
      state,
      set_offs = [],
    } = await this.rpc.call(getDocument, {
      ...{ business_id: bookId, document_id: params.id ?? '', detailed: true },
    });
    return page(
      t(texts.of),
      html`
${pageHead({
  title: t(texts.of),
  language,
  crumbs: [{ text: documentName(document, language), href: link(`/documents/${document.id}`) }],
})}
${outcome === 'set_off_removed' ? notice('done', t(texts.removed)) : null}
${set_offs.length === 0 ? emptyState({ title: t(texts.noneOf) }) : setOffTable(visit, set_offs)}
<p class="hint">${t(texts[balanceOf(document, state) === null ? 'asksNothing' : 'removeWhat'])}</p>`,
    );
  }

  @ConsolePage({ method: 'POST', changes: 'book' })
  async remove(visit: MemberVisit): Promise<PageReply> {
    const { bookId, form: sent, link, params, session } = visit;
    const set_off_id = readField(sent, 'set_off_id');
    if (!isUuid(set_off_id)) {
      throw new ApiError('not_found');
    }
    const key = { business_id: bookId, document_id: params.id ?? '', set_off_id };
    await this.rpc.call(removeSetOff, { ...key, person_id: session.personId }).catch((error: unknown) => {
      // Pressed twice: it is removed.
      if (!(error instanceof ApiError && error.code === 'not_found')) {
        throw error;
      }
    });
    return redirect(link(`/documents/${params.id}/set-offs`), { outcome: 'set_off_removed' });
  }
}

function setOffTable(visit: MemberVisit, rows: readonly SetOff[]): Markup {
  const { csrfToken, language, t, link, params } = visit;
  const remove = ({ set_off_id }: SetOff) =>
    postForm(
      link(`/documents/${params.id}/set-offs`),
      csrfToken,
      html`${hidden('set_off_id', set_off_id)}${button({ text: t(texts.remove), kind: 'secondary' })}`,
    );
  return table<SetOff>({
    caption: t(texts.of),
    language,
    rows,
    columns: [
      { head: t(texts.when), value: ({ set_at }) => dayAndTime(set_at, language) },
      { head: t(texts.sum), kind: 'money', value: (row) => row.amount },
      { head: t(texts.act), headHidden: true, kind: 'action', value: remove },
    ],
  });
}

/** What is on account, over the documents that are due first. */
function proposed({ debts, on_account = 0 }: Account): ReadonlyMap<string, string> {
  let rest = fromShekels(on_account);
  return new Map(
    debts.flatMap(({ document, balance }) => {
      const left = fromShekels(balance);
      const part = left < rest ? left : rest;
      rest -= part;
      return part > 0n ? [[document.id, toShekels(part).toFixed(2)] as const] : [];
    }),
  );
}

function accountPage(
  visit: MemberVisit,
  { debts, on_account = 0 }: Account,
  given: { readonly id: string; readonly amounts: ReadonlyMap<string, string>; readonly isWrong?: boolean },
): PageReply {
  const { csrfToken, language, t, link, params } = visit;
  const at = link(`/customers/${params.id}/statement`);
  const name = debts[0]?.document.customer.name;
  const head = pageHead({
    title: t(texts.title),
    language,
    crumbs: [
      { text: t(words.debts), href: link('/debts') },
      { text: name === undefined ? t(words.statement) : isolate(name, language), href: at },
    ],
  });
  if (debts.length === 0 || on_account <= 0) {
    const nothing = emptyState({ title: t(texts.none), text: t(texts.noneMore) });
    return page(t(texts.title), html`${head}${nothing}`);
  }
  const fields = debts.map(({ document, balance, age }, place) => {
    const typed = moneyField({
      name: `amount.${place}`,
      label: documentName(document, language),
      hint: `${formatMoney(balance)} ₪ · ${t(ageWords[age])}`,
      value: given.amounts.get(document.id) ?? '',
    });
    return html`${hidden(`document.${place}`, document.id)}${typed}`;
  });
  const content = form({
    action: link(`/customers/${params.id}/set-off`),
    csrfToken,
    content: html`
${hidden('set_off_id', given.id)}
<div class="fields">
  ${fields}
</div>
${effectList([t(texts.balances), t(texts.documents), t(texts.undone)])}`,
    acts: html`
${button({ text: t(texts.confirm) })}
${linkButton({ href: at, text: t(words.cancel), kind: 'quiet' })}`,
  });
  return page(
    t(texts.title),
    html`
${head}
${given.isWrong ? notice('error', t(texts.wrong)) : null}
${stats([{ label: t(texts.onAccount), value: largeAmount(on_account, language) }])}
${card({ id: 'set-off', title: t(texts.amounts), content })}`,
    given.isWrong ? 422 : 200,
  );
}
