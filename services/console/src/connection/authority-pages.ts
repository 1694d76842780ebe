import {
  type AuthorityConnection,
  compile,
  completeConnection,
  endConnection,
  markConnected,
  showConnection,
  startConnection,
  timeLimitsMs,
  updateBusiness,
} from '@pinkas/contracts';
import { dayInIsrael, formatDay, hasValidCheckDigit, isInstitution, normaliseTaxId } from '@pinkas/domain';
import { InjectConfig, RpcClient } from '@pinkas/service-kit';
import {
  amount,
  badge,
  button,
  card,
  dayAndTime,
  facts,
  field,
  form,
  html,
  isolate,
  type Language,
  leftToRight,
  linkButton,
  type Markup,
  notice,
  pageHead,
  type Tone,
  type Words,
} from '@pinkas/ui';
import type { ConsoleConfig } from '../config.js';
import { confirmation } from '../frame/confirmation.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../http/console-page.js';
import type { MemberVisit, Visit } from '../http/visit.js';

const texts = {
  what: {
    he: 'חשבוניות מעל הסכום שבחוק צריכות מספר הקצאה. כשהעסק מחובר, המערכת מבקשת אותו בעצמה בכל הפקה.',
    en: 'Invoices above the amount in the law need an allocation number. While the business is connected, the system requests it by itself for each document.',
  },
  whatDonations: {
    he: 'תרומות למוסד שאושר לפי סעיף 46 מדווחות לרשות המסים. כשהמוסד מחובר, המערכת מדווחת על כל קבלה בעצמה. תורם שתרומתו לא דווחה אינו מקבל זיכוי ממס.',
    en: 'Donations to an institution with an approval under section 46 are reported to the tax authority. While it is connected, the system reports each receipt. A donor whose donation is not reported gets no tax credit.',
  },
  threshold: { he: 'מעל סכום לפני מע"מ', en: 'Above, before VAT' },
  state: { he: 'מצב', en: 'State' },
  connected: { he: 'מחובר', en: 'Connected' },
  expiring: { he: 'מחובר, ומסתיים בקרוב', en: 'Connected, and ends soon' },
  ended: { he: 'הסתיים', en: 'Ended' },
  off: { he: 'לא מחובר', en: 'Not connected' },
  until: { he: 'עד', en: 'Until' },
  since: { he: 'התחברות אחרונה', en: 'Last login' },
  connect: { he: 'התחברות לרשות המסים', en: 'Connect to the tax authority' },
  again: { he: 'התחברות מחדש', en: 'Connect again' },
  connectMore: {
    he: 'באתר הרשות נכנסים בשם העסק ומאשרים; זה נחוץ בערך כל שלושה חודשים.',
    en: "At the authority's site, log in for the business and agree; this is needed about every three months.",
  },
  person: {
    he: 'שם או מספר זהות של מי שנכנס לאתר הרשות',
    en: 'Name or identity number of the person who logs in',
  },
  personHint: {
    he: 'הרשות רושמת מי מפיק את החשבוניות: אדם, לא שם העסק. שם של עד 25 תווים.',
    en: 'The authority records who issues the invoices: a person, not the business. A name of at most 25 characters.',
  },
  personWrong: {
    he: 'צריך שם של אדם, עד 25 תווים, או מספר זהות עם ספרת ביקורת נכונה.',
    en: 'A name of a person of at most 25 characters is needed, or an identity number with the right check digit.',
  },
  issuer: { he: 'מי שמפיק, לרשות', en: 'Who issues, to the authority' },
  linkReady: { he: 'הכתובת מוכנה ותקפה עד', en: 'The address is ready and valid until' },
  toAuthority: { he: 'לאתר רשות המסים', en: "To the authority's site" },
  thenReturn: {
    he: 'האתר נפתח בחלון חדש. אחרי האישור אפשר לסגור אותו ולחזור לכאן.',
    en: 'The site opens in a new window. Once you have agreed, close it and come back here.',
  },
  check: { he: 'בדיקת החיבור', en: 'Check the connection' },
  failed: { he: 'ההתחברות האחרונה לא הצליחה', en: 'The last login did not succeed' },
  disconnect: { he: 'ניתוק…', en: 'Disconnect…' },
  disconnectTitle: { he: 'ניתוק מרשות המסים', en: 'Disconnect from the tax authority' },
  disconnectWhat: {
    he: 'ההרשאה נמחקת, ומספרי הקצאה לא יתבקשו עד להתחברות חדשה. מסמכים ממשיכים לצאת, אך הקונים לא יוכלו לנכות את המע"מ שבהם.',
    en: 'The permission is deleted, and no allocation numbers are requested until you connect again. Documents go on, but their buyers cannot deduct the VAT in them.',
  },
  disconnectButton: { he: 'ניתוק', en: 'Disconnect' },
  disconnectDonations: {
    he: 'ההרשאה נמחקת, ותרומות לא ידווחו עד להתחברות חדשה. קבלות ממשיכות לצאת, אך התורמים לא יקבלו זיכוי ממס.',
    en: 'The permission is deleted, and no donations are reported until you connect again. Receipts go on, but their donors get no tax credit.',
  },
  nowConnectedDonations: {
    he: 'המוסד מחובר לרשות המסים. תרומות ידווחו מעתה באופן אוטומטי. על קבלות קודמות מדווחים בדף של כל אחת.',
    en: 'The institution is connected to the tax authority. Donations are reported automatically from now on. Earlier receipts are reported from the page of each.',
  },
  nowConnected: {
    he: 'העסק מחובר לרשות המסים. מספרי הקצאה יתבקשו מעתה באופן אוטומטי.',
    en: 'The business is connected to the tax authority. Allocation numbers are requested automatically from now on.',
  },
  notHere: { he: 'העסק לא חובר', en: 'The business was not connected' },
  otherPerson: {
    he: 'את החיבור משלים רק מי שהתחיל אותו, בדפדפן שבו הוא מחובר למערכת. אם התחלתם אותו, התחברו ונסו שוב מעמוד רשות המסים של העסק.',
    en: 'Only the person who began a connection completes it, in a browser in which they are signed in. If that was you, sign in and begin again on the page Tax authority of the business.',
  },
  sentLink: {
    he: 'אם קיבלתם את הקישור ממישהו אחר, אל תאשרו אותו. האישור היה מחבר את החשבון שלכם ברשות לעסק שלו.',
    en: 'If somebody sent you the link, do not agree. It would have connected your account at the authority to their business.',
  },
  stale: {
    he: 'הקישור כבר נוצל או שאינו בתוקף. יש להתחיל את החיבור מחדש.',
    en: 'The link was used or is too old. Please begin the connection again.',
  },
  done: { he: 'העסק נותק מרשות המסים.', en: 'The business is disconnected from the tax authority.' },
} as const satisfies Record<string, Words>;

const tones = {
  connected: 'good',
  expiring: 'waiting',
  ended: 'bad',
  off: 'neutral',
} as const satisfies Record<string, Tone>;

/** What a form of the page has done. */
function doneNotice(outcome: string | null, isDonations: boolean, language: Language): Markup | null {
  if (outcome === 'disconnected') {
    return notice('done', texts.done[language]);
  }
  const connected = texts[isDonations ? 'nowConnectedDonations' : 'nowConnected'];
  return outcome === 'connected' ? notice('done', connected[language]) : null;
}

const personMax = 25;

/** Where an owner connects the business, and ends its connection. */
function connectForm(
  { business, csrfToken, t, link }: MemberVisit,
  connection: AuthorityConnection | null,
  wrongPerson: string | null,
): Markup {
  const isOn = business.tax_authority_connected && connection !== null;
  const connect = button({
    text: t(texts[isOn ? 'again' : 'connect']),
    kind: isOn && connection.state === 'connected' ? 'secondary' : 'primary',
  });
  const person = field({
    name: 'person',
    label: t(texts.person),
    hint: t(texts.personHint),
    value: wrongPerson ?? connection?.person ?? '',
    error: wrongPerson === null ? undefined : t(texts.personWrong),
    required: true,
  });
  // Also where the setting is off already: a disconnection that failed half-way is repeated.
  const end = linkButton({
    href: link('/authority/disconnect'),
    text: t(texts.disconnect),
    kind: 'danger',
  });
  return html`<p class="hint">${t(texts.connectMore)}</p>
${form({
  action: link('/authority/connect'),
  csrfToken,
  content: person,
  acts: html`${connect}${connection === null ? null : end}`,
})}`;
}

/** Who issues, to the authority: digits are an identity number. Null: it is neither. */
function readPerson(text: string): { user_name: string } | { user_id: string } | null {
  if (/^\d+$/.test(text)) {
    return hasValidCheckDigit(text) ? { user_id: normaliseTaxId(text) } : null;
  }
  return text.length <= personMax && /[^\s0]/.test(text) ? { user_name: text } : null;
}

const checkCompletion = compile(completeConnection.request);

/** The connection of a business to the tax authority. */
@PageController({ path: '/authority', access: 'owner' })
export class AuthorityPages {
  constructor(
    private readonly rpc: RpcClient,
    @InjectConfig() private readonly config: ConsoleConfig,
  ) {}

  @ConsolePage({ method: 'GET', access: 'reader' })
  show(visit: MemberVisit): Promise<PageReply> {
    return this.#show(visit, null);
  }

  /**
   * Where the gateway leads the browser that comes back from the authority, with the code and the state. A link that was sent to
   * somebody else ends here: allocation completes it only for the person who began.
   */
  @ConsolePage({
    method: 'GET',
    path: '/connected/:business',
    access: 'anyone',
    timeoutMs: timeLimitsMs.completeConnection + timeLimitsMs.saveBusiness,
  })
  async complete({ language, t, memberships, params, query, session }: Visit): Promise<PageReply> {
    const refused = (why: string, status: number) =>
      page(
        t(texts.notHere),
        html`${pageHead({ title: t(texts.notHere), language })}
${notice('error', why)}`,
        status,
      );
    const ofOther = () => refused(`${t(texts.otherPerson)} ${t(texts.sentLink)}`, 403);
    const stale = () => refused(t(texts.stale), 410);
    const isOwner = memberships.some(
      ({ businessId, role }) => businessId === params.business && role === 'owner',
    );
    if (!session || !isOwner) {
      return ofOther();
    }
    const by = { business_id: params.business, person_id: session.personId };
    const request = checkCompletion({ ...by, state: query.get('state'), code: query.get('code') || null });
    if (!request.ok) {
      return stale();
    }
    const { outcome, business_id: id } = await this.rpc.call(completeConnection, request.value);
    if (outcome === 'other_person') {
      return ofOther();
    }
    if (id === null) {
      return stale();
    }
    const isConnected =
      outcome === 'connected' &&
      (await this.rpc.call(markConnected, { business_id: id, person_id: session.personId })).connected;
    return redirect(`/b/${id}/authority`, isConnected ? { outcome: 'connected' } : {});
  }

  /** Makes an address at the authority, where the owner logs in. */
  @ConsolePage({ method: 'POST', path: '/connect', changes: 'settings', freshProof: true })
  async connect(visit: MemberVisit): Promise<PageReply> {
    const { business, language, t, link, session } = visit;
    const typed = visit.form.get('person')?.trim() ?? '';
    const person = readPerson(typed);
    if (person === null) {
      return this.#show(visit, typed);
    }
    const { authorize_url: url, expires_at: until } = await this.rpc.call(startConnection, {
      business_id: business.id,
      person_id: session.personId,
      ...person,
      return_url: `${this.config.consoleUrl}/authority/connected/${business.id}`,
    });
    return page(
      t(texts.connect),
      html`${pageHead({ title: t(texts.connect), language, lead: t(texts.connectMore) })}
<div class="card">
  <p>
    <a class="button primary" href="${url}" target="_blank" rel="noopener noreferrer">
      ${t(texts.toAuthority)}
    </a>
  </p>
  <p>${t(texts.thenReturn)} <a href="${link('/authority')}">${t(texts.check)}</a></p>
  <p class="hint">${t(texts.linkReady)} ${dayAndTime(until, language)}</p>
</div>`,
    );
  }

  @ConsolePage({ method: 'GET', path: '/disconnect', freshProof: true })
  async confirmDisconnection(visit: MemberVisit): Promise<PageReply> {
    const isDonations = isInstitution(visit.business.legal_type);
    return confirmation(visit, {
      title: visit.t(texts.disconnectTitle),
      crumbs: [{ text: visit.t(words.authority), href: visit.link('/authority') }],
      content: html`<p>${visit.t(isDonations ? texts.disconnectDonations : texts.disconnectWhat)}</p>`,
      button: { text: visit.t(texts.disconnectButton), kind: 'danger' },
      element: 'div',
    });
  }

  /** Ends the connection, and stops requests for allocation numbers. */
  @ConsolePage({ method: 'POST', path: '/disconnect', changes: 'nothing', freshProof: true })
  async disconnect({ business, link, session }: MemberVisit): Promise<PageReply> {
    const by = { business_id: business.id, person_id: session.personId };
    // The setting first: a document that is issued in between asks for nothing, where it would wait for a connection.
    const off = { ...by, change: { tax_authority_connected: false } };
    await this.rpc.call(updateBusiness, off);
    await this.rpc.call(endConnection, by);
    // Again: a connection that was completed before it ended may have been marked since.
    await this.rpc.call(updateBusiness, off);
    return redirect(link('/authority'), { outcome: 'disconnected' });
  }

  /** @param wrongPerson what was typed that names no person. */
  async #show(visit: MemberVisit, wrongPerson: string | null): Promise<PageReply> {
    const { business, language, t, outcome, role } = visit;
    const { connection, request } = await this.rpc.call(showConnection, { business_id: business.id });
    const isOn = business.tax_authority_connected && connection !== null;
    const state = isOn ? connection.state : 'off';
    const isDonations = isInstitution(business.legal_type);
    const failure =
      request?.state === 'failed' ? notice('error', html`${t(texts.failed)}. ${request.reason ?? ''}`) : null;
    const until = isOn ? connection.until : null;
    const known = facts(
      [
        [t(texts.until), until && leftToRight(formatDay(dayInIsrael(new Date(until)), language))],
        [t(texts.since), isOn ? dayAndTime(connection.connected_at, language) : null],
        [
          t(texts.issuer),
          isOn && connection.person !== undefined ? isolate(connection.person, language) : null,
        ],
        [t(texts.threshold), isDonations ? null : amount(business.allocation_threshold_net, language)],
      ],
      language,
    );
    const status = html`<span data-state="${state}">${badge(tones[state], t(texts[state]))}</span>`;
    return page(
      t(words.authority),
      html`${pageHead({ title: t(words.authority), language, badge: status, lead: t(texts[isDonations ? 'whatDonations' : 'what']) })}
${doneNotice(outcome, isDonations, language)}
${failure}
${card({
  id: 'connection',
  title: t(texts.state),
  content: html`${known}
${role === 'owner' ? connectForm(visit, connection, wrongPerson) : null}`,
})}`,
      wrongPerson === null ? 200 : 422,
    );
  }
}
