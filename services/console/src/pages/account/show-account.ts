import { acrossTenants, type Clock, type Database, InjectClock, InjectDatabase } from '@pinkas/service-kit';
import { html, isolate, type Language, leftToRight, type Markup } from '@pinkas/ui';
import { ConsolePage, type PageReply, page } from '../../http/console-page.js';
import type { PersonVisit } from '../../http/visit.js';
import { listPasskeys, type PasskeyRow } from '../../passkey/passkey.repository.js';
import { type ListedSession, listSessions } from '../../session/session.repository.js';
import type { ConsoleTables } from '../../session/session.tables.js';
import { postForm } from '../shell.js';
import { words } from '../words.js';
import { accountWords as texts } from './account-words.js';
import { describeDevice } from './describe-device.js';

const formats = Object.fromEntries(
  (['he', 'en'] as const).map((language) => [
    language,
    new Intl.DateTimeFormat(language === 'he' ? 'he-IL' : 'en-GB', {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: 'Asia/Jerusalem',
    }),
  ]),
) as Readonly<Record<Language, Intl.DateTimeFormat>>;

function instant(at: Date, language: Language): Markup {
  return html`<time datetime="${at.toISOString()}">${formats[language].format(at)}</time>`;
}

function sessionRow(visit: PersonVisit, session: ListedSession): Markup {
  const { language, csrfToken } = visit;
  const isThis = session.id === visit.session.id;
  const action = isThis
    ? html`<span class="badge">${texts.thisOne[language]}</span>`
    : postForm(
        `/account/sessions/${session.id}/end`,
        csrfToken,
        html`<button class="secondary">${texts.end[language]}</button>`,
      );
  return html`<tr><th scope="row">${describeDevice(session.userAgent, language)}</th><td>${leftToRight(session.network)}</td><td>${instant(session.lastUsedAt, language)}</td><td>${action}</td></tr>`;
}

function sessionsSection(visit: PersonVisit, sessions: readonly ListedSession[]): Markup {
  const { language, csrfToken } = visit;
  const endOthers =
    sessions.length > 1 &&
    postForm(
      '/account/sessions/end-others',
      csrfToken,
      html`<button class="danger">${texts.endOthers[language]}</button>`,
    );
  const rows = sessions.map((session) => sessionRow(visit, session));
  return html`<section class="card"><h2 id="sessions">${texts.sessions[language]}</h2><p>${texts.sessionsLead[language]}</p><div class="table" role="region" aria-labelledby="sessions" tabindex="0"><table><thead><tr><th scope="col">${texts.device[language]}</th><th scope="col">${texts.network[language]}</th><th scope="col">${texts.lastUse[language]}</th><th scope="col">${texts.action[language]}</th></tr></thead><tbody>${rows}</tbody></table></div>${endOthers}</section>`;
}

function passkeyItem({ language, csrfToken }: PersonVisit, passkey: PasskeyRow): Markup {
  const name = passkey.name === '' ? texts.unnamed[language] : passkey.name;
  const used = passkey.last_used_at
    ? instant(passkey.last_used_at, language)
    : html`${texts.never[language]}`;
  const field = `name-${passkey.id}`;
  return html`<li><p><strong>${isolate(name, language)}</strong><br>${texts.added[language]}: ${instant(passkey.created_at, language)} · ${texts.lastUse[language]}: ${used}</p>${postForm(
    `/account/passkeys/${passkey.id}/rename`,
    csrfToken,
    html`<label for="${field}">${texts.passkeyName[language]}</label><input id="${field}" name="name" maxlength="60" required autocomplete="off" value="${passkey.name}"><button class="secondary">${texts.rename[language]}</button>`,
  )}<a class="button danger" href="/account/passkeys/${passkey.id}/remove">${texts.remove[language]}</a></li>`;
}

function passkeysSection(visit: PersonVisit, passkeys: readonly PasskeyRow[]): Markup {
  const { language } = visit;
  const list =
    passkeys.length === 0
      ? html`<p>${texts.noPasskeys[language]}</p>`
      : html`<ul class="passkeys">${passkeys.map((passkey) => passkeyItem(visit, passkey))}</ul>`;
  return html`<section class="card" aria-labelledby="passkeys"><h2 id="passkeys">${texts.passkeys[language]}</h2><p>${texts.passkeysLead[language]}</p>${list}<p><a class="button" href="/account/passkeys/new">${texts.addPasskey[language]}</a></p></section>`;
}

function languageSection({ language, csrfToken }: PersonVisit): Markup {
  const option = (value: Language, label: string) =>
    html`<label class="choice"><input type="radio" name="language" value="${value}"${value === language && html` checked`}> <span lang="${value}">${label}</span></label>`;
  return html`<section class="card" aria-labelledby="language"><h2 id="language">${texts.language[language]}</h2>${postForm(
    '/language',
    csrfToken,
    html`<input type="hidden" name="next" value="/account"><fieldset aria-labelledby="language">${option('he', texts.hebrew[language])}${option('en', texts.english[language])}</fieldset><button>${words.save[language]}</button>`,
  )}</section>`;
}

/** Shows a person what is theirs alone: language, sessions, passkeys. */
@ConsolePage({ method: 'GET', path: '/account', access: 'person' })
export class ShowAccount {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(visit: PersonVisit): Promise<PageReply> {
    const { language, session } = visit;
    const all = acrossTenants(this.db);
    const [sessions, passkeys] = await Promise.all([
      listSessions(all, session.personId, this.clock.now()),
      listPasskeys(all, session.personId),
    ]);
    return page(
      words.account[language],
      html`<h1>${words.account[language]}</h1><p>${texts.address[language]}: <strong>${leftToRight(session.email)}</strong></p>${languageSection(visit)}${sessionsSection(visit, sessions)}${passkeysSection(visit, passkeys)}`,
    );
  }
}
