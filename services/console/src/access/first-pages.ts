import { showBusiness, summarizeDebts } from '@pinkas/contracts';
import { RpcClient } from '@pinkas/service-kit';
import {
  amount,
  emptyState,
  html,
  isolate,
  type Language,
  type Markup,
  notice,
  pageHead,
  type Words,
} from '@pinkas/ui';
import { unlessAway } from '../frame/unless-away.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../http/console-page.js';
import type { PersonVisit } from '../http/visit.js';
import { peopleWords } from './people/people-words.js';

const texts = {
  title: { he: 'העסקים שלי', en: 'My businesses' },
  balance: { he: 'יתרה לתשלום', en: 'Balance due' },
  late: { he: 'באיחור', en: 'late' },
  none: {
    he: 'עדיין אין לך הרשאה לאף עסק. בעלי העסק יכולים להזמין אותך.',
    en: 'You may not use any business yet. An owner can invite you.',
  },
} as const satisfies Record<string, Words>;

/** Where a person begins. */
@PageController({ access: 'person' })
export class FirstPages {
  constructor(private readonly rpc: RpcClient) {}

  /** Leads to the person's business; who has several chooses. */
  @ConsolePage({ method: 'GET', path: '/' })
  async show({ language, t, memberships, outcome }: PersonVisit): Promise<PageReply> {
    const [only] = memberships;
    const left = outcome === 'left' ? notice('done', t(peopleWords.left)) : null;
    if (only && memberships.length === 1 && left === null) {
      return redirect(`/b/${only.businessId}`);
    }
    const businesses = await Promise.all(
      memberships.map(async ({ businessId, role }) => {
        const [{ business }, debts] = await Promise.all([
          this.rpc.call(showBusiness, { business_id: businessId }),
          unlessAway(this.rpc.call(summarizeDebts, { business_id: businessId })),
        ]);
        return html`<li>
    <a class="card" href="/b/${businessId}">
      <span>
        <strong>${isolate(business.name, language)}</strong>
        <span class="soft">${t(words[role])}</span>
      </span>
      ${debts && debtText(debts, language)}
    </a>
  </li>
  `;
      }),
    );
    const list =
      businesses.length === 0
        ? emptyState({ title: t(texts.none) })
        : html`<ul class="businesses">
  ${businesses}
</ul>`;
    return page(
      t(texts.title),
      html`${pageHead({ title: t(texts.title), language })}
${left}
${list}`,
    );
  }
}

/** What is left to pay to a business: the figure by which owners of several tell where to look first. */
function debtText(
  { amount: open, late }: { readonly amount: number; readonly late: number },
  language: Language,
): Markup {
  const overdue =
    late > 0 && html`<span class="late">${amount(late, language)} ${texts.late[language]}</span>`;
  return html`<span class="debt">
        <span><span class="soft">${texts.balance[language]}</span> <strong>${amount(open, language)}</strong></span>
        ${overdue}
      </span>`;
}
