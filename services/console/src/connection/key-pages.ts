import {
  type ApiKey,
  createKey,
  keyLimitDefaults,
  listKeys,
  ownerKeyLimits,
  revokeKey,
  type Scope,
  scopes,
} from '@pinkas/contracts';
import { modes } from '@pinkas/domain';
import { ApiError, InjectConfig, RpcClient } from '@pinkas/service-kit';
import {
  button,
  checkbox,
  choice,
  dayAndTime,
  facts,
  field,
  form,
  html,
  isolate,
  leftToRight,
  linkButton,
  notice,
  pageHead,
  readField,
  type Words,
} from '@pinkas/ui';
import { type ConsoleConfig } from '../config.js';
import { confirmation } from '../frame/confirmation.js';
import { copyable } from '../frame/copyable.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../http/console-page.js';
import { type MemberVisit } from '../http/visit.js';
import { keyWords } from './key-words.js';

const texts = {
  name: { he: 'שם', en: 'Name' },
  nameHint: { he: 'לדוגמה: החנות באתר', en: 'For example: web shop' },
  mode: { he: 'ספר', en: 'Book' },
  modeHint: {
    he: 'מסמכי ניסיון אינם נחשבים ואינם נשלחים לאיש.',
    en: 'Test documents do not count, and are sent to nobody.',
  },
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
} as const satisfies Record<string, Words>;

/** The way back to the keys. */
const toKeys = ({ t, link }: MemberVisit) =>
  ({ text: t(words.connection), href: link('/connection') }) as const;

interface KeyInput {
  readonly name: string;
  readonly mode: string;
  readonly scopes: readonly string[];
  readonly perMinute: string;
  readonly daily: string;
}
type KeyErrors = Partial<Record<'name' | 'scopes' | 'perMinute' | 'daily', string>>;

function keyForm(visit: MemberVisit, input: KeyInput, errors: KeyErrors): PageReply {
  const { csrfToken, language, t } = visit;
  const boxes = scopes.map((scope) =>
    checkbox({
      name: 'scopes',
      value: scope,
      label: t(keyWords[scope]),
      checked: input.scopes.includes(scope),
    }),
  );
  const back = linkButton({ href: visit.link('/connection'), text: t(words.back), kind: 'quiet' });
  const scopeBoxes = html`<fieldset class="choices">
  <legend>${t(keyWords.scopes)}</legend>
  ${boxes}
  ${errors.scopes ? html`<p class="error">${errors.scopes}</p>` : null}
</fieldset>`;
  const limit = (name: 'perMinute' | 'daily', fieldName: string, min: string, max: number) =>
    field({
      name: fieldName,
      type: 'number',
      label: t(keyWords[name]),
      value: input[name],
      error: errors[name],
      min,
      max: String(max),
      ltr: true,
    });
  const content = html`${field({
    name: 'name',
    label: t(texts.name),
    hint: t(texts.nameHint),
    value: input.name,
    error: errors.name,
    required: true,
  })}
${choice({
  name: 'mode',
  label: t(texts.mode),
  value: input.mode,
  hint: t(texts.modeHint),
  options: modes.map((mode) => [mode, t(keyWords[mode])] as const),
})}
${scopeBoxes}
${limit('perMinute', 'per_minute', '1', ownerKeyLimits.perMinute)}
${limit('daily', 'daily', '0', ownerKeyLimits.dailyDocuments)}`;
  return page(
    t(keyWords.create),
    html`${pageHead({ title: t(keyWords.create), language, crumbs: [toKeys(visit)] })}
<div class="card">
  ${form({
    action: visit.link('/connection/new'),
    csrfToken,
    content,
    acts: html`${button({ text: t(texts.createButton) })}${back}`,
  })}
</div>`,
    Object.keys(errors).length > 0 ? 422 : 200,
  );
}

function keyErrors(input: KeyInput, language: MemberVisit['language']): KeyErrors {
  const isWhole = (text: string, min: number, max: number) =>
    /^\d{1,8}$/.test(text) && Number(text) >= min && Number(text) <= max;
  const known = input.scopes.filter((scope) => scopes.includes(scope as Scope));
  return {
    ...((input.name === '' || input.name.length > 80) && { name: texts.badName[language] }),
    ...(known.length === 0 && { scopes: texts.badScopes[language] }),
    ...(!isWhole(input.perMinute, 1, ownerKeyLimits.perMinute) && {
      perMinute: texts.badPerMinute[language],
    }),
    ...(!isWhole(input.daily, 0, ownerKeyLimits.dailyDocuments) && { daily: texts.badDaily[language] }),
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

/** The making and the revocation of an API key. */
@PageController({ path: '/connection', access: 'owner', freshProof: true })
export class KeyPages {
  constructor(
    private readonly rpc: RpcClient,
    @InjectConfig() private readonly config: ConsoleConfig,
  ) {}

  @ConsolePage({ method: 'GET', path: '/new', changes: 'settings' })
  async show(visit: MemberVisit): Promise<PageReply> {
    const { perMinute, dailyDocuments } = keyLimitDefaults;
    const limits = { perMinute: String(perMinute), daily: String(dailyDocuments) };
    return keyForm(visit, { name: '', mode: 'live', scopes, ...limits }, {});
  }

  /** Creates a key and shows its value, this once. */
  @ConsolePage({ method: 'POST', path: '/new', changes: 'settings' })
  async create(visit: MemberVisit): Promise<PageReply> {
    const { business, form, language, t, session } = visit;
    const input: KeyInput = {
      name: readField(form, 'name'),
      mode: form.get('mode') === 'test' ? 'test' : 'live',
      scopes: form.getAll('scopes'),
      perMinute: form.get('per_minute')?.trim() ?? '',
      daily: form.get('daily')?.trim() ?? '',
    };
    const errors = keyErrors(input, language);
    if (Object.keys(errors).length > 0) {
      return keyForm(visit, input, errors);
    }
    const key = await this.rpc.call(createKey, {
      business_id: business.id,
      name: input.name,
      mode: input.mode as 'live' | 'test',
      scopes: scopes.filter((scope) => input.scopes.includes(scope)),
      per_minute: Number(input.perMinute),
      daily_documents: Number(input.daily),
      person_id: session.personId,
    });
    const all = linkButton({
      href: visit.link('/connection'),
      text: t(texts.toKeys),
      kind: 'primary',
    });
    return page(
      t(texts.createdTitle),
      html`${pageHead({ title: t(texts.createdTitle), language, crumbs: [toKeys(visit)] })}
${notice('done', t(texts.once))}
<section class="card">
  ${copyable(t(texts.value), key.key, 'key-value', language)}
  <h2>${t(texts.try)}</h2>
  ${copyable('curl', curlLine(this.config.baseUrl, key.key), 'curl-line', language)}
  <div class="buttons">
    ${all}
  </div>
</section>`,
    );
  }

  @ConsolePage({ method: 'GET', path: '/:id/revoke' })
  async confirmRevocation(visit: MemberVisit): Promise<PageReply> {
    const { language } = visit;
    const key = await findKey(this.rpc, visit);
    const used = key.last_used_at ? dayAndTime(key.last_used_at, language) : visit.t(keyWords.never);
    const known = facts(
      [
        [visit.t(keyWords.prefix), html`<code>${leftToRight(`${key.prefix}…`)}</code>`],
        [visit.t(keyWords.lastUsed), used],
      ],
      language,
    );
    const title = visit.t(texts.revokeTitle);
    return confirmation(visit, {
      title,
      heading: html`${title}: ${isolate(key.name, language)}`,
      crumbs: [toKeys(visit)],
      content: html`${known}
  <p>${visit.t(texts.revokeWhat)}</p>`,
      button: { text: visit.t(texts.revokeButton), kind: 'danger' },
      element: 'div',
    });
  }

  @ConsolePage({ method: 'POST', path: '/:id/revoke', changes: 'nothing' })
  async revoke(visit: MemberVisit): Promise<PageReply> {
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
