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
import { describeDevice } from './describe-device.js';
import { profileWords as texts } from './profile-words.js';

function sessionsSection(visit: PersonVisit, sessions: readonly ListedSession[]): Markup {
  const { language, t, csrfToken } = visit;
  const end = (session: ListedSession) =>
    postForm(
      `/account/sessions/${session.id}/end`,
      csrfToken,
      button({ text: t(texts.end), kind: 'secondary' }),
    );
  const list = table<ListedSession>({
    caption: t(texts.sessions),
    language,
    rows: sessions,
    columns: [
      {
        head: t(texts.device),
        value: ({ userAgent }) => html`${describeDevice(userAgent, language)}`,
      },
      { head: t(texts.network), value: ({ network }) => leftToRight(network) },
      {
        head: t(texts.lastUse),
        value: ({ lastUsedAt }) => dayAndTime(lastUsedAt.toISOString(), language),
      },
      {
        head: t(texts.action),
        headHidden: true,
        kind: 'action',
        value: (session) =>
          session.id === visit.session.id ? badge('good', t(texts.thisOne)) : end(session),
      },
    ],
  });
  const endOthers = postForm(
    '/account/sessions/end-others',
    csrfToken,
    button({ text: t(texts.endOthers), kind: 'danger' }),
  );
  return card({
    id: 'sessions',
    title: t(texts.sessions),
    content: html`<p class="hint">${t(texts.sessionsLead)}</p>
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
  { language, t, csrfToken }: PersonVisit,
  passkey: PasskeyRow,
  refused: RefusedName | undefined,
): Markup {
  const name = passkey.name === '' ? t(texts.unnamed) : passkey.name;
  const at = (instant: Date) => dayAndTime(instant.toISOString(), language);
  const used = passkey.last_used_at ? at(passkey.last_used_at) : html`${t(texts.never)}`;
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
    text: t(texts.remove),
    kind: 'danger',
  });
  const rename = html`<label class="visually-hidden" for="name-${passkey.id}">${t(texts.passkeyName)}</label>
      <input${input}>
      ${button({ text: t(texts.rename), kind: 'secondary' })}`;
  return html`<li class="item">
    <div>
      <p class="item-title">${isolate(name, language)}</p>
      <p>${t(texts.added)}: ${at(passkey.created_at)} · ${t(texts.lastUse)}: ${used}</p>
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
  const { t } = visit;
  const list =
    passkeys.length === 0
      ? html`<p class="soft">${t(texts.noPasskeys)}</p>`
      : html`<ul class="items passkeys">
  ${passkeys.map((passkey) => passkeyItem(visit, passkey, passkey.id === refused?.id ? refused : undefined))}
</ul>`;
  return card({
    id: 'passkeys',
    title: t(texts.passkeys),
    aside: linkButton({ href: '/account/passkeys/new', text: t(texts.addPasskey) }),
    content: html`<p class="hint">${t(texts.passkeysLead)}</p>
${list}`,
  });
}

function languageSection({ language, t, csrfToken }: PersonVisit): Markup {
  const choices = radios({
    name: 'language',
    label: t(texts.language),
    value: language,
    options: [
      ['he', t(texts.hebrew)],
      ['en', t(texts.english)],
    ],
  });
  return card({
    id: 'language',
    title: t(texts.language),
    titleHidden: true,
    content: form({
      action: '/language',
      csrfToken,
      content: html`${hidden('next', '/account')}
${choices}`,
      acts: button({ text: t(words.save), kind: 'secondary' }),
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
  const { language, t, session } = visit;
  const all = acrossTenants(db);
  const [sessions, passkeys] = await Promise.all([
    listSessions(all, session.personId, now),
    listPasskeys(all, session.personId),
  ]);
  return page(
    t(words.account),
    html`${pageHead({ title: t(words.account), language, lead: leftToRight(session.email) })}
${languageSection(visit)}
${sessionsSection(visit, sessions)}
${passkeysSection(visit, passkeys, refused)}`,
    refused ? 422 : 200,
  );
}

/** The account of a person. */
@PageController({ path: '/account', access: 'person' })
export class ProfilePages {
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
