import { isUuid } from '@pinkas/contracts';
import {
  acrossTenants,
  type Clock,
  type Database,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  type Logger,
} from '@pinkas/service-kit';
import { attributes, button, html, isolate, lengthErrors, postForm } from '@pinkas/ui';
import type { ConsoleConfig } from '../../config.js';
import type { ConsoleTables } from '../../db/console.tables.js';
import { errorPage } from '../../frame/message-pages.js';
import { words } from '../../frame/words.js';
import { ConsolePage, PageController, type PageReply, redirect } from '../../http/console-page.js';
import type { PersonVisit } from '../../http/visit.js';
import { markBrowser } from '../sign-in/browser-cookie.js';
import { deletePasskey, listPasskeys, renamePasskey } from '../sign-in/passkey.repository.js';
import { json } from '../sign-in/passkey-sign-in-pages.js';
import { PasskeyError, Passkeys, passkeyNameMax, readName } from '../sign-in/passkeys.js';
import { cardPage, scriptTag } from '../sign-in/sign-in-parts.js';
import { accountPage } from './profile-pages.js';
import { profileWords as texts } from './profile-words.js';

/** What is wrong with the name that is given to a passkey. */
const nameError = ({ form, language }: PersonVisit): string | undefined =>
  lengthErrors({ name: readName(form.get('name')) }, { name: passkeyNameMax }, language).name;

/** The passkeys of a person. */
@PageController({ path: '/account/passkeys', access: 'person', freshProof: true })
export class PasskeyPages {
  constructor(
    @InjectConfig() private readonly config: ConsoleConfig,
    private readonly passkeys: Passkeys,
    @InjectLogger() private readonly logger: Logger,
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  /** Shows the form for a new passkey, which a script sends. */
  @ConsolePage({ method: 'GET', path: '/new' })
  async showNew(visit: PersonVisit): Promise<PageReply> {
    const { t, csrfToken } = visit;
    const part = attributes({
      class: 'passkey',
      hidden: true,
      'data-passkey': 'add',
      'data-token': csrfToken,
      'data-failed': t(texts.addFailed),
    });
    const reply = cardPage(
      t(texts.addPasskey),
      html`<p>${t(texts.passkeysLead)}</p>
<div${part}>
  <label for="name">${t(texts.passkeyName)}</label>
  <input id="name" autocomplete="off" aria-describedby="name-hint">
  <p class="hint" id="name-hint">${t(texts.passkeyNameHint)}</p>
  <button type="button" class="primary">${t(texts.addPasskey)}</button>
  <p class="error" role="alert"></p>
</div>
<noscript>
  <p class="notice">${t(texts.needsScript)}</p>
</noscript>
<p><a href="/account">${t(words.back)}</a></p>
${scriptTag()}`,
    );
    return { ...reply, cookies: [markBrowser(this.config, visit).cookie] };
  }

  /** Gives a browser what it needs to make a passkey. */
  @ConsolePage({ method: 'POST', path: '/options' })
  async begin(visit: PersonVisit): Promise<PageReply> {
    const error = nameError(visit);
    return error === undefined ? json(await this.passkeys.begin(visit)) : json({ error }, 422);
  }

  @ConsolePage({ method: 'POST' })
  async add(visit: PersonVisit): Promise<PageReply> {
    try {
      await this.passkeys.add(visit);
    } catch (error) {
      if (!(error instanceof PasskeyError)) {
        throw error;
      }
      this.logger.info({ reason: error.message }, 'passkey rejected');
      return json({ error: 'passkey_rejected' }, 422);
    }
    return json({ next: '/account' });
  }

  @ConsolePage({ method: 'POST', path: '/:passkey/rename', freshProof: false })
  async rename(visit: PersonVisit): Promise<PageReply> {
    const { params, form, session, language } = visit;
    const id = params.passkey ?? '';
    const name = readName(form.get('name'));
    const error = nameError(visit);
    if (error !== undefined) {
      return accountPage(this.db, this.clock.now(), visit, { id, name, error });
    }
    const isDone = isUuid(id) && (await renamePasskey(acrossTenants(this.db), session.personId, id, name));
    return isDone ? redirect('/account') : errorPage('not_found', language);
  }

  @ConsolePage({ method: 'GET', path: '/:passkey/remove' })
  async confirmRemoval({ params, path, session, language, t, csrfToken }: PersonVisit): Promise<PageReply> {
    const passkeys = await listPasskeys(acrossTenants(this.db), session.personId);
    const passkey = passkeys.find(({ id }) => id === params.passkey);
    if (!passkey) {
      return errorPage('not_found', language);
    }
    const name = passkey.name === '' ? t(texts.unnamed) : passkey.name;
    return cardPage(
      t(texts.removeTitle),
      html`<p><strong>${isolate(name, language)}</strong></p>
<p>${t(texts.removeLead)}</p>
${postForm(path, csrfToken, button({ text: t(texts.remove), kind: 'danger' }))}
<p><a href="/account">${t(words.cancel)}</a></p>`,
    );
  }

  @ConsolePage({ method: 'POST', path: '/:passkey/remove' })
  async remove({ params, session, language }: PersonVisit): Promise<PageReply> {
    const id = params.passkey ?? '';
    const isDone = isUuid(id) && (await deletePasskey(acrossTenants(this.db), session.personId, id));
    return isDone ? redirect('/account') : errorPage('not_found', language);
  }
}
