import { isUuid } from '@pinkas/contracts';
import { acrossTenants, type Clock, type Database, InjectClock, InjectDatabase } from '@pinkas/service-kit';
import {
  attributes,
  badge,
  button,
  card,
  dayAndTime,
  form,
  hidden,
  html,
  isolate,
  leftToRight,
  linkButton,
  type Markup,
  pageHead,
  postForm,
  radios,
  table,
} from '@pinkas/ui';
import type { ConsoleTables } from '../../db/console.tables.js';
import { errorPage } from '../../frame/message-pages.js';
import { words } from '../../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../../http/console-page.js';
import type { PersonVisit } from '../../http/visit.js';
import {
  endOtherSessions,
  endSession,
  type ListedSession,
  listSessions,
} from '../../session/session.repository.js';
import { listPasskeys, type PasskeyRow } from '../sign-in/passkey.repository.js';
import { accountWords as texts } from './account-words.js';
import { describeDevice } from './describe-device.js';

function sessionsSection(visit: PersonVisit, sessions: readonly ListedSession[]): Markup {
  const { language, csrfToken } = visit;
  const end = (session: ListedSession) =>
    postForm(
      `/account/sessions/${session.id}/end`,
      csrfToken,
      button({ text: texts.end[language], kind: 'secondary' }),
    );
  const list = table<ListedSession>({
    caption: texts.sessions[language],
    language,
    rows: sessions,
    columns: [
      {
        head: texts.device[language],
        value: ({ userAgent }) => html`${describeDevice(userAgent, language)}`,
      },
      { head: texts.network[language], value: ({ network }) => leftToRight(network) },
      {
        head: texts.lastUse[language],
        value: ({ lastUsedAt }) => dayAndTime(lastUsedAt.toISOString(), language),
      },
      {
        head: texts.action[language],
        headHidden: true,
        kind: 'action',
        value: (session) =>
          session.id === visit.session.id ? badge('good', texts.thisOne[language]) : end(session),
      },
    ],
  });
  const endOthers = postForm(
    '/account/sessions/end-others',
    csrfToken,
    button({ text: texts.endOthers[language], kind: 'danger' }),
  );
  return card({
    id: 'sessions',
    title: texts.sessions[language],
    content: html`<p class="hint">${texts.sessionsLead[language]}</p>
${list}
${sessions.length > 1 && endOthers}`,
  });
}

/** A name of a passkey that was typed and is refused. */
interface RefusedName {
  readonly id: string;
  readonly name: string;
  readonly error: string;
}

function passkeyItem(
  { language, csrfToken }: PersonVisit,
  passkey: PasskeyRow,
  refused: RefusedName | undefined,
): Markup {
  const name = passkey.name === '' ? texts.unnamed[language] : passkey.name;
  const at = (instant: Date) => dayAndTime(instant.toISOString(), language);
  const used = passkey.last_used_at ? at(passkey.last_used_at) : html`${texts.never[language]}`;
  const input = attributes({
    id: `name-${passkey.id}`,
    name: 'name',
    required: true,
    autocomplete: 'off',
    value: refused?.name ?? passkey.name,
    'aria-describedby': refused && `name-${passkey.id}-error`,
    'aria-invalid': refused && 'true',
  });
  const remove = linkButton({
    href: `/account/passkeys/${passkey.id}/remove`,
    text: texts.remove[language],
    kind: 'danger',
  });
  const rename = html`<label class="visually-hidden" for="name-${passkey.id}">${texts.passkeyName[language]}</label>
      <input${input}>
      ${button({ text: texts.rename[language], kind: 'secondary' })}`;
  return html`<li class="item">
    <div>
      <p class="item-title">${isolate(name, language)}</p>
      <p>${texts.added[language]}: ${at(passkey.created_at)} · ${texts.lastUse[language]}: ${used}</p>
    </div>
    <div class="actions">
      ${postForm(`/account/passkeys/${passkey.id}/rename`, csrfToken, rename, 'inline')}
      ${remove}
    </div>
    ${refused ? html`<p class="error" id="name-${passkey.id}-error">${refused.error}</p>` : null}
  </li>
  `;
}

function passkeysSection(
  visit: PersonVisit,
  passkeys: readonly PasskeyRow[],
  refused: RefusedName | undefined,
): Markup {
  const { language } = visit;
  const list =
    passkeys.length === 0
      ? html`<p class="soft">${texts.noPasskeys[language]}</p>`
      : html`<ul class="items passkeys">
  ${passkeys.map((passkey) => passkeyItem(visit, passkey, passkey.id === refused?.id ? refused : undefined))}
</ul>`;
  return card({
    id: 'passkeys',
    title: texts.passkeys[language],
    aside: linkButton({ href: '/account/passkeys/new', text: texts.addPasskey[language] }),
    content: html`<p class="hint">${texts.passkeysLead[language]}</p>
${list}`,
  });
}

function languageSection({ language, csrfToken }: PersonVisit): Markup {
  const choices = radios({
    name: 'language',
    label: texts.language[language],
    value: language,
    options: [
      ['he', texts.hebrew[language]],
      ['en', texts.english[language]],
    ],
  });
  return card({
    id: 'language',
    title: texts.language[language],
    titleHidden: true,
    content: form({
      action: '/language',
      csrfToken,
      content: html`${hidden('next', '/account')}
${choices}`,
      acts: button({ text: words.save[language], kind: 'secondary' }),
    }),
  });
}

/** The account of a person. @param refused a name of a passkey that cannot be stored. */
export async function accountPage(
  db: Database<ConsoleTables>,
  now: Date,
  visit: PersonVisit,
  refused?: RefusedName,
): Promise<PageReply> {
  const { language, session } = visit;
  const all = acrossTenants(db);
  const [sessions, passkeys] = await Promise.all([
    listSessions(all, session.personId, now),
    listPasskeys(all, session.personId),
  ]);
  return page(
    words.account[language],
    html`${pageHead({ title: words.account[language], language, lead: leftToRight(session.email) })}
${languageSection(visit)}
${sessionsSection(visit, sessions)}
${passkeysSection(visit, passkeys, refused)}`,
    refused ? 422 : 200,
  );
}

/** The account of a person. */
@PageController({ path: '/account', access: 'person' })
export class AccountPages {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  /** Shows a person what is theirs alone: language, sessions, passkeys. */
  @ConsolePage({ method: 'GET' })
  show(visit: PersonVisit): Promise<PageReply> {
    return accountPage(this.db, this.clock.now(), visit);
  }

  /** Ends one session of the person. */
  @ConsolePage({ method: 'POST', path: '/sessions/:session/end' })
  async endSession({ params, session, language }: PersonVisit): Promise<PageReply> {
    const id = params.session ?? '';
    if (!isUuid(id)) {
      return errorPage('not_found', language);
    }
    await endSession(acrossTenants(this.db), session.personId, id);
    return redirect('/account');
  }

  /** Ends every session of the person but this one. */
  @ConsolePage({ method: 'POST', path: '/sessions/end-others' })
  async endOtherSessions({ session }: PersonVisit): Promise<PageReply> {
    await endOtherSessions(acrossTenants(this.db), session.personId, session.id);
    return redirect('/account');
  }
}
