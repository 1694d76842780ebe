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
import { html, isolate, leftToRight, type Markup } from '@pinkas/ui';
import type { ConsoleConfig } from '../config.js';
import { ConsolePage, type PageReply, page, redirect } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { checkbox, choice, csrfField, dayAndTime, facts, field, notice } from './parts.js';
import { unlessAway } from './unless-away.js';
import { type Words, words } from './words.js';

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
  copy: { he: 'העתקה', en: 'Copy' },
  copied: { he: 'הועתק', en: 'Copied' },
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
  docs: { he: 'תיעוד ה-API', en: 'Reference of the API' },
  errors: { he: 'רשימת השגיאות', en: 'List of errors' },
} as const satisfies Record<string, Words>;

/** The API keys of a business, and what developers need. */
@ConsolePage({ method: 'GET', path: '/connection', access: 'reader' })
export class ShowConnectionSettings {
  constructor(
    private readonly rpc: RpcClient,
    @InjectConfig() private readonly config: ConsoleConfig,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { business, language, outcome } = visit;
    const { keys } = await this.rpc.call(listKeys, { business_id: business.id });
    const rows = await Promise.all(
      [...keys]
        .sort((one, other) => Number(one.revoked_at !== null) - Number(other.revoked_at !== null))
        .map(async (key) => keyCard(visit, key, await this.#usedToday(key))),
    );
    const list =
      rows.length === 0 ? html`<p>${texts.none[language]}</p>` : html`<ul class="keys">${rows}</ul>`;
    const create =
      visit.role === 'owner'
        ? html`<a class="button" href="${visit.link('/connection/new')}">${texts.create[language]}</a>`
        : null;
    return page(
      words.connection[language],
      html`<h1>${words.connection[language]}</h1>${outcome === 'revoked' ? notice('done', texts.revokedDone[language]) : null}<p>${texts.intro[language]}</p>
<section class="card" aria-labelledby="keys"><div class="title"><h2 id="keys">${texts.keys[language]}</h2>${create}</div>${list}</section>
<section class="card" aria-labelledby="reference"><h2 id="reference">${texts.reference[language]}</h2>${facts(
        [
          [texts.base[language], leftToRight(this.config.baseUrl)],
          [texts.client[language], html`<code>${leftToRight('@pinkas/client')}</code>`],
        ],
        language,
      )}<p class="links"><a href="${this.config.docsUrl}">${texts.docs[language]}</a> · <a href="${this.config.docsUrl}/errors">${texts.errors[language]}</a></p></section>`,
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

function keyCard(visit: MemberVisit, key: ApiKey, usedToday: number | null): Markup {
  const { language, role } = visit;
  const isRevoked = key.revoked_at !== null;
  const revoke =
    role === 'owner' && !isRevoked
      ? html`<a class="button quiet danger" href="${visit.link(`/connection/${key.id}/revoke`)}">${texts.revoke[language]}</a>`
      : null;
  const used = key.last_used_at ? dayAndTime(key.last_used_at, language) : texts.never[language];
  const limits = html`${leftToRight(`${usedToday ?? 0} / ${key.daily_documents}`)}`;
  return html`<li class="key ${isRevoked && 'ended'}"><div class="title"><h3>${isolate(key.name, language)} <span class="badge ${key.mode}">${texts[key.mode][language]}</span></h3>${revoke}</div>${facts(
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
  )}</li>`;
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
  return page(
    texts.create[language],
    html`<h1>${texts.create[language]}</h1><section class="card"><form method="post" action="${visit.link('/connection/new')}">${csrfField(csrfToken)}
${field({ name: 'name', label: texts.name[language], hint: texts.nameHint[language], value: draft.name, error: errors.name, required: true, maxLength: 80 })}
${choice({ name: 'mode', label: texts.mode[language], value: draft.mode, hint: texts.modeHint[language], options: modes.map((mode) => [mode, texts[mode][language]] as const) })}
<fieldset><legend>${texts.scopes[language]}</legend>${boxes}${errors.scopes ? html`<p class="error">${errors.scopes}</p>` : null}</fieldset>
${field({ name: 'per_minute', type: 'number', label: texts.perMinute[language], value: draft.perMinute, error: errors.perMinute, min: '1', max: String(ownerKeyLimits.perMinute), ltr: true })}
${field({ name: 'daily', type: 'number', label: texts.daily[language], value: draft.daily, error: errors.daily, min: '0', max: String(ownerKeyLimits.dailyDocuments), ltr: true })}
<div class="buttons"><button>${texts.createButton[language]}</button><a class="button quiet" href="${visit.link('/connection')}">${words.back[language]}</a></div></form></section>`,
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
      name: form.get('name')?.trim() ?? '',
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
    return page(
      texts.createdTitle[language],
      html`<h1>${texts.createdTitle[language]}</h1>${notice('done', texts.once[language])}<section class="card">${copyable(texts.value[language], key.key, 'key-value', language)}<h2>${texts.try[language]}</h2>${copyable('curl', curlLine(this.config.baseUrl, key.key), 'curl-line', language)}<p><a class="button" href="${visit.link('/connection')}">${texts.toKeys[language]}</a></p></section>`,
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

/** A text with a button that copies it, which works where scripts run. */
function copyable(label: string, text: string, id: string, language: MemberVisit['language']): Markup {
  return html`<div class="copyable"><label for="${id}">${label}</label><textarea id="${id}" readonly dir="ltr" rows="${text.length > 80 ? 6 : 2}" spellcheck="false">${text}</textarea><button type="button" class="quiet" data-copy="${id}" data-copied="${texts.copied[language]}" hidden>${texts.copy[language]}</button></div>`;
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
    `-H "Idempotency-Key: $(date +%s%N)"`,
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
    return page(
      texts.revokeTitle[language],
      html`<h1>${texts.revokeTitle[language]}: ${isolate(key.name, language)}</h1><section class="card">${facts(
        [
          [texts.prefix[language], html`<code>${leftToRight(`${key.prefix}…`)}</code>`],
          [texts.lastUsed[language], used],
        ],
        language,
      )}<p>${texts.revokeWhat[language]}</p><form method="post" action="${visit.link(`/connection/${key.id}/revoke`)}">${csrfField(csrfToken)}<div class="buttons"><button class="danger">${texts.revokeButton[language]}</button><a class="button quiet" href="${visit.link('/connection')}">${words.back[language]}</a></div></form></section>`,
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
