import {
  type ApiKey,
  createKey,
  getUsage,
  keyLimitDefaults,
  listKeys,
  ownerKeyLimits,
  revokeKey,
  type Scope,
  scopes,
} from '@pinkas/contracts';
import { modes, testBookOf } from '@pinkas/domain';
import { ApiError, InjectConfig, RpcClient } from '@pinkas/service-kit';
import {
  badge,
  button,
  card,
  checkbox,
  choice,
  dayAndTime,
  emptyState,
  facts,
  field,
  form,
  html,
  isolate,
  leftToRight,
  linkButton,
  type Markup,
  notice,
  pageHead,
  readField,
  type Words,
} from '@pinkas/ui';
import type { ConsoleConfig } from '../config.js';
import { ConsolePage, type PageReply, page, redirect } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { copyable } from './copyable.js';
import { unlessAway } from './unless-away.js';
import { webhookWords } from './webhooks/webhook-words.js';
import { words } from './words.js';

const texts = {
  intro: {
    he: 'החנות או ה-CRM מפיקים מסמכים דרך ה-API. כל מערכת מקבלת מפתח משלה, וכך אפשר לבטל אחד בלי לגעת באחרים.',
    en: 'Your shop or CRM issues documents over the API. Give each system a key of its own, so that you can revoke one without touching the others.',
  },
  keys: { he: 'מפתחות API', en: 'API keys' },
  none: { he: 'עדיין אין מפתח.', en: 'There is no key yet.' },
  name: { he: 'שם', en: 'Name' },
  nameHint: { he: 'לדוגמה: החנות באתר', en: 'For example: web shop' },
  prefix: { he: 'מתחיל ב-', en: 'Begins with' },
  mode: { he: 'ספר', en: 'Book' },
  live: { he: 'אמיתי', en: 'Live' },
  test: { he: 'ניסיון', en: 'Test' },
  modeHint: {
    he: 'מסמכי ניסיון אינם נחשבים ואינם נשלחים לאיש.',
    en: 'Test documents do not count, and are sent to nobody.',
  },
  scopes: { he: 'הרשאות', en: 'Scopes' },
  'documents:write': { he: 'הפקה וביטול של מסמכים', en: 'Issue and cancel documents' },
  'documents:read': { he: 'קריאת מסמכים', en: 'Read documents' },
  'customers:read': { he: 'קריאת לקוחות', en: 'Read customers' },
  perMinute: { he: 'בקשות בדקה', en: 'Requests a minute' },
  daily: { he: 'מסמכים ביום', en: 'Documents a day' },
  usedToday: { he: 'הופקו היום', en: 'Issued today' },
  created: { he: 'נוצר', en: 'Created' },
  lastUsed: { he: 'שימוש אחרון', en: 'Last used' },
  never: { he: 'עדיין לא', en: 'Not yet' },
  revoked: { he: 'בוטל', en: 'Revoked' },
  revoke: { he: 'ביטול…', en: 'Revoke…' },
  create: { he: 'מפתח חדש', en: 'New key' },
  createButton: { he: 'יצירת מפתח', en: 'Create the key' },
  badName: { he: 'שם של 1 עד 80 תווים.', en: 'A name of 1 to 80 characters.' },
  badScopes: { he: 'יש לבחור לפחות הרשאה אחת.', en: 'Choose at least one scope.' },
  badPerMinute: { he: 'מספר שלם, 1 עד 600.', en: 'A whole number from 1 to 600.' },
  badDaily: { he: 'מספר שלם, 0 עד 10,000.', en: 'A whole number from 0 to 10,000.' },
  createdTitle: { he: 'המפתח נוצר', en: 'The key is created' },
  once: {
    he: 'זו הפעם היחידה שהמפתח מוצג. יש להעתיק אותו עכשיו למקום בטוח; הוא אינו נשמר אצלנו.',
    en: 'The key is shown this once. Copy it to a safe place now; it is not stored here.',
  },
  value: { he: 'המפתח', en: 'The key' },
  try: { he: 'לניסיון, הפקת הצעת מחיר:', en: 'To try it, issue a quote:' },
  toKeys: { he: 'העתקתי, לכל המפתחות', en: 'I have copied it, to all keys' },
  revokeTitle: { he: 'ביטול מפתח', en: 'Revoke a key' },
  revokeWhat: {
    he: 'כל בקשה עם המפתח תידחה מיד. את הביטול אי אפשר לבטל; מסמכים שהופקו נשארים.',
    en: 'Every request with the key is rejected at once. This cannot be undone; issued documents stay.',
  },
  revokeButton: { he: 'ביטול המפתח', en: 'Revoke the key' },
  revokedDone: { he: 'המפתח בוטל.', en: 'The key is revoked.' },
  reference: { he: 'למפתחים', en: 'For developers' },
  base: { he: 'כתובת ה-API', en: 'Address of the API' },
  client: { he: 'ספרייה ל-TypeScript', en: 'Client for TypeScript' },
  clientPlace: { he: 'בקוד המקור; אינה במאגר חבילות', en: 'in the source; not in a registry of packages' },
  docs: { he: 'תיעוד ה-API', en: 'Reference of the API' },
  errors: { he: 'רשימת השגיאות', en: 'List of errors' },
} as const satisfies Record<string, Words>;

/** The way back to the keys. */
const toKeys = ({ language, link }: MemberVisit) =>
  ({ text: words.connection[language], href: link('/connection') }) as const;

/** The API keys of a business, and what developers need. */
@ConsolePage({ method: 'GET', path: '/connection', access: 'reader' })
export class ShowConnectionSettings {
  constructor(
    private readonly rpc: RpcClient,
    @InjectConfig() private readonly config: ConsoleConfig,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { business, language, outcome, role } = visit;
    const { keys } = await this.rpc.call(listKeys, { business_id: business.id });
    const rows = await Promise.all(
      [...keys]
        .sort((one, other) => Number(one.revoked_at !== null) - Number(other.revoked_at !== null))
        .map(async (key) => keyCard(visit, key, await this.#usedToday(key))),
    );
    const list =
      rows.length === 0
        ? emptyState({ title: texts.none[language] })
        : html`<ul class="keys">
  ${rows}
</ul>`;
    const { baseUrl, docsUrl } = this.config;
    const addresses = facts(
      [
        [texts.base[language], leftToRight(baseUrl)],
        [
          texts.client[language],
          html`<code>${leftToRight('packages/client')}</code> ${texts.clientPlace[language]}`,
        ],
      ],
      language,
    );
    const create = linkButton({
      href: visit.link('/connection/new'),
      text: texts.create[language],
      kind: 'primary',
    });
    return page(
      words.connection[language],
      html`${pageHead({
        title: words.connection[language],
        language,
        lead: texts.intro[language],
        primary: role === 'owner' ? create : null,
      })}
${outcome === 'revoked' ? notice('done', texts.revokedDone[language]) : null}
${card({ id: 'keys', title: texts.keys[language], content: list })}
${role === 'owner' ? webhookCard(visit) : null}
${card({
  id: 'reference',
  title: texts.reference[language],
  content: html`${addresses}
<p class="links">
  <a href="${docsUrl}">${texts.docs[language]}</a> · <a href="${docsUrl}/errors">${texts.errors[language]}</a>
</p>`,
})}`,
    );
  }

  async #usedToday(key: ApiKey): Promise<number | null> {
    if (key.revoked_at !== null) {
      return null;
    }
    const book = key.mode === 'test' ? testBookOf(key.business_id) : key.business_id;
    const usage = await unlessAway(this.rpc.call(getUsage, { business_id: book, key_id: key.id }));
    return usage?.used_today ?? null;
  }
}

/** Where an owner finds the endpoints. */
function webhookCard({ language, link }: MemberVisit): Markup {
  const open = linkButton({ href: link('/connection/webhooks'), text: webhookWords.open[language] });
  return card({
    id: 'webhooks',
    title: webhookWords.title[language],
    content: html`<p>${webhookWords.lead[language]}</p>
<div class="buttons">
  ${open}
</div>`,
  });
}

function keyCard(visit: MemberVisit, key: ApiKey, usedToday: number | null): Markup {
  const { language, role } = visit;
  const isRevoked = key.revoked_at !== null;
  const revoke = linkButton({
    href: visit.link(`/connection/${key.id}/revoke`),
    text: texts.revoke[language],
    kind: 'danger',
  });
  const used = key.last_used_at ? dayAndTime(key.last_used_at, language) : texts.never[language];
  const limits = html`${leftToRight(`${usedToday ?? 0} / ${key.daily_documents}`)}`;
  const known = facts(
    [
      [texts.prefix[language], html`<code>${leftToRight(`${key.prefix}…`)}</code>`],
      [texts.scopes[language], key.scopes.map((scope) => texts[scope][language]).join(', ')],
      [texts.usedToday[language], isRevoked ? null : limits],
      [texts.perMinute[language], isRevoked ? null : leftToRight(String(key.per_minute))],
      [texts.lastUsed[language], used],
      [texts.created[language], dayAndTime(key.created_at, language)],
      [texts.revoked[language], key.revoked_at && dayAndTime(key.revoked_at, language)],
    ],
    language,
  );
  const mode = badge(key.mode === 'live' ? 'good' : 'waiting', texts[key.mode][language]);
  return html`<li class="key ${isRevoked && 'ended'}">
    <div class="title">
      <h3>${isolate(key.name, language)} ${mode}</h3>
      ${role === 'owner' && !isRevoked && revoke}
    </div>
    ${known}
  </li>
  `;
}

interface KeyDraft {
  readonly name: string;
  readonly mode: string;
  readonly scopes: readonly string[];
  readonly perMinute: string;
  readonly daily: string;
}
type KeyErrors = Partial<Record<'name' | 'scopes' | 'perMinute' | 'daily', string>>;

function keyForm(visit: MemberVisit, draft: KeyDraft, errors: KeyErrors): PageReply {
  const { csrfToken, language } = visit;
  const boxes = scopes.map((scope) =>
    checkbox({
      name: 'scopes',
      value: scope,
      label: texts[scope][language],
      checked: draft.scopes.includes(scope),
    }),
  );
  const back = linkButton({ href: visit.link('/connection'), text: words.back[language], kind: 'quiet' });
  const scopeBoxes = html`<fieldset class="choices">
  <legend>${texts.scopes[language]}</legend>
  ${boxes}
  ${errors.scopes ? html`<p class="error">${errors.scopes}</p>` : null}
</fieldset>`;
  const limit = (name: 'perMinute' | 'daily', fieldName: string, min: string, max: number) =>
    field({
      name: fieldName,
      type: 'number',
      label: texts[name][language],
      value: draft[name],
      error: errors[name],
      min,
      max: String(max),
      ltr: true,
    });
  const content = html`${field({
    name: 'name',
    label: texts.name[language],
    hint: texts.nameHint[language],
    value: draft.name,
    error: errors.name,
    required: true,
  })}
${choice({
  name: 'mode',
  label: texts.mode[language],
  value: draft.mode,
  hint: texts.modeHint[language],
  options: modes.map((mode) => [mode, texts[mode][language]] as const),
})}
${scopeBoxes}
${limit('perMinute', 'per_minute', '1', ownerKeyLimits.perMinute)}
${limit('daily', 'daily', '0', ownerKeyLimits.dailyDocuments)}`;
  return page(
    texts.create[language],
    html`${pageHead({ title: texts.create[language], language, crumbs: [toKeys(visit)] })}
<div class="card">
  ${form({
    action: visit.link('/connection/new'),
    csrfToken,
    content,
    acts: html`${button({ text: texts.createButton[language] })}${back}`,
  })}
</div>`,
    Object.keys(errors).length > 0 ? 422 : 200,
  );
}

/** The form of a new key. */
@ConsolePage({
  method: 'GET',
  path: '/connection/new',
  access: 'owner',
  changes: 'settings',
  freshProof: true,
})
export class StartKey {
  async handle(visit: MemberVisit): Promise<PageReply> {
    const { perMinute, dailyDocuments } = keyLimitDefaults;
    const limits = { perMinute: String(perMinute), daily: String(dailyDocuments) };
    return keyForm(visit, { name: '', mode: 'live', scopes, ...limits }, {});
  }
}

/** Creates a key and shows its value, this once. */
@ConsolePage({
  method: 'POST',
  path: '/connection/new',
  access: 'owner',
  changes: 'settings',
  freshProof: true,
})
export class CreateKeyPage {
  constructor(
    private readonly rpc: RpcClient,
    @InjectConfig() private readonly config: ConsoleConfig,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { business, form, language, session } = visit;
    const draft: KeyDraft = {
      name: readField(form, 'name'),
      mode: form.get('mode') === 'test' ? 'test' : 'live',
      scopes: form.getAll('scopes'),
      perMinute: form.get('per_minute')?.trim() ?? '',
      daily: form.get('daily')?.trim() ?? '',
    };
    const errors = keyErrors(draft, language);
    if (Object.keys(errors).length > 0) {
      return keyForm(visit, draft, errors);
    }
    const key = await this.rpc.call(createKey, {
      business_id: business.id,
      name: draft.name,
      mode: draft.mode as 'live' | 'test',
      scopes: scopes.filter((scope) => draft.scopes.includes(scope)),
      per_minute: Number(draft.perMinute),
      daily_documents: Number(draft.daily),
      person_id: session.personId,
    });
    const all = linkButton({
      href: visit.link('/connection'),
      text: texts.toKeys[language],
      kind: 'primary',
    });
    return page(
      texts.createdTitle[language],
      html`${pageHead({ title: texts.createdTitle[language], language, crumbs: [toKeys(visit)] })}
${notice('done', texts.once[language])}
<section class="card">
  ${copyable(texts.value[language], key.key, 'key-value', language)}
  <h2>${texts.try[language]}</h2>
  ${copyable('curl', curlLine(this.config.baseUrl, key.key), 'curl-line', language)}
  <div class="buttons">
    ${all}
  </div>
</section>`,
    );
  }
}

function keyErrors(draft: KeyDraft, language: MemberVisit['language']): KeyErrors {
  const isWhole = (text: string, min: number, max: number) =>
    /^\d{1,8}$/.test(text) && Number(text) >= min && Number(text) <= max;
  const known = draft.scopes.filter((scope) => scopes.includes(scope as Scope));
  return {
    ...((draft.name === '' || draft.name.length > 80) && { name: texts.badName[language] }),
    ...(known.length === 0 && { scopes: texts.badScopes[language] }),
    ...(!isWhole(draft.perMinute, 1, ownerKeyLimits.perMinute) && {
      perMinute: texts.badPerMinute[language],
    }),
    ...(!isWhole(draft.daily, 0, ownerKeyLimits.dailyDocuments) && { daily: texts.badDaily[language] }),
  };
}

function curlLine(baseUrl: string, key: string): string {
  const body = {
    type: 'quote',
    customer: { name: 'Demo customer' },
    items: [{ description: 'Consulting, one hour', quantity: 2, unit_price: 350 }],
  };
  return [
    `curl -s ${baseUrl}/documents`,
    `-H 'Authorization: Bearer ${key}'`,
    `-H 'Idempotency-Key: order-1'`,
    `-H 'Content-Type: application/json'`,
    `-d '${JSON.stringify(body)}'`,
  ].join(' \\\n  ');
}

async function findKey(rpc: RpcClient, { business, params }: MemberVisit): Promise<ApiKey> {
  const { keys } = await rpc.call(listKeys, { business_id: business.id });
  const key = keys.find(({ id }) => id === params.id);
  if (!key) {
    throw new ApiError('not_found');
  }
  return key;
}

/** Says what revoking a key does. */
@ConsolePage({ method: 'GET', path: '/connection/:id/revoke', access: 'owner', freshProof: true })
export class ConfirmRevocation {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { csrfToken, language } = visit;
    const key = await findKey(this.rpc, visit);
    const used = key.last_used_at ? dayAndTime(key.last_used_at, language) : texts.never[language];
    const known = facts(
      [
        [texts.prefix[language], html`<code>${leftToRight(`${key.prefix}…`)}</code>`],
        [texts.lastUsed[language], used],
      ],
      language,
    );
    const back = linkButton({ href: visit.link('/connection'), text: words.back[language], kind: 'quiet' });
    return page(
      texts.revokeTitle[language],
      html`${pageHead({
        title: html`${texts.revokeTitle[language]}: ${isolate(key.name, language)}`,
        language,
        crumbs: [toKeys(visit)],
      })}
<div class="card">
  ${known}
  <p>${texts.revokeWhat[language]}</p>
  ${form({
    action: visit.link(`/connection/${key.id}/revoke`),
    csrfToken,
    content: html``,
    acts: html`${button({ text: texts.revokeButton[language], kind: 'danger' })}${back}`,
  })}
</div>`,
    );
  }
}

/** Revokes a key. */
@ConsolePage({
  method: 'POST',
  path: '/connection/:id/revoke',
  access: 'owner',
  changes: 'nothing',
  freshProof: true,
})
export class RevokeKeyPage {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { business, link, session } = visit;
    const { id } = await findKey(this.rpc, visit);
    await this.rpc.call(revokeKey, {
      key_id: id,
      business_id: business.id,
      person_id: session.personId,
    });
    return redirect(link('/connection'), { outcome: 'revoked' });
  }
}
