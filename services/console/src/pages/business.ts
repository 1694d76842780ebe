import {
  Business,
  BusinessChange,
  compile,
  renderPage,
  showBusiness,
  storeLogo,
  timeLimitsMs,
  updateBusiness,
  type ValidationError,
} from '@pinkas/contracts';
import {
  type BusinessLegalType,
  businessLegalTypes,
  contrast,
  dayInIsrael,
  formatDay,
  textContrastMin,
} from '@pinkas/domain';
import { ApiError, type Clock, InjectClock, InjectConfig, RpcClient } from '@pinkas/service-kit';
import {
  attributes,
  button,
  card,
  checkbox,
  choice,
  defaultAccent,
  type FieldErrors,
  type FieldKind,
  type FieldRule,
  type FormField,
  facts,
  field,
  fieldErrors,
  formatPercent,
  formSection,
  hidden,
  html,
  isolate,
  type Language,
  languages,
  leftToRight,
  lengthErrors,
  type Markup,
  notice,
  pageHead,
  readField,
  textarea,
  type Words,
} from '@pinkas/ui';
import type { ConsoleConfig } from '../config.js';
import { ConsolePage, type PageReply, page, redirect } from '../http/console-page.js';
import { limitsOf } from '../http/form-limits.js';
import { isProofFresh, proofPath } from '../http/fresh-proof.js';
import { framedHeaders } from '../http/page-headers.js';
import type { MemberVisit, UploadedFile } from '../http/visit.js';
import { AttemptLimiter } from '../sign-in/attempt-limiter.js';
import { sampleDocument } from './sample-document.js';
import { words } from './words.js';

const texts = {
  identity: { he: 'זהות', en: 'Identity' },
  identityHint: {
    he: 'אלה קובעים אילו מסמכים מותר להפיק; מי שמפעיל את המערכת יכול לשנות אותם.',
    en: 'These decide which documents may be issued; the operator of the system can change them.',
  },
  legalType: { he: 'סוג העסק', en: 'Legal type' },
  taxId: { he: 'ח.פ. / עוסק', en: 'Tax id' },
  approval: { he: 'אישור לפי סעיף 46', en: 'Approval under section 46' },
  noApproval: { he: 'אין: תרומות אינן מדווחות', en: 'None: donations are not reported' },
  approvalUntil: { he: 'עד', en: 'until' },
  vatRate: { he: 'מע"מ', en: 'VAT' },
  missing: { he: 'חסר', en: 'Missing' },
  profile: { he: 'פרטים במסמכים', en: 'Details on documents' },
  name: { he: 'שם העסק', en: 'Name of the business' },
  address: { he: 'כתובת', en: 'Address' },
  city: { he: 'עיר', en: 'City' },
  email: { he: 'דוא"ל', en: 'Email' },
  phone: { he: 'טלפון', en: 'Phone' },
  language: { he: 'שפת המסמכים', en: 'Language of documents' },
  he: { he: 'עברית', en: 'Hebrew' },
  en: { he: 'אנגלית', en: 'English' },
  look: { he: 'מראה', en: 'Look' },
  accent: { he: 'צבע', en: 'Color' },
  accentHint: { he: 'צבע שאפשר לקרוא על נייר לבן.', en: 'A color that can be read on white paper.' },
  logo: { he: 'לוגו', en: 'Logo' },
  logoHint: { he: 'קובץ PNG או SVG, עד 64KB.', en: 'A PNG or SVG file of at most 64 KB.' },
  removeLogo: { he: 'הסרת הלוגו', en: 'Remove the logo' },
  terms: { he: 'ברירות מחדל', en: 'Defaults' },
  termDays: { he: 'ימים לתשלום', en: 'Days to pay' },
  notes: { he: 'הערות במסמך שאין לו הערות משלו', en: 'Notes on a document that has none of its own' },
  pricesIncludeVat: { he: 'המחירים כוללים מע"מ', en: 'Prices include VAT' },
  sending: { he: 'שליחה ללקוח', en: 'Sending to the customer' },
  autoSend: { he: 'לשלוח כל מסמך ללקוח', en: 'Send each document to the customer' },
  channel: { he: 'דרך', en: 'By' },
  viaEmail: { he: 'דוא"ל', en: 'Email' },
  whatsapp: { he: 'וואטסאפ', en: 'WhatsApp' },
  both: { he: 'שניהם', en: 'Both' },
  quietFrom: { he: 'לא לשלוח משעה', en: 'Send nothing from' },
  quietTo: { he: 'עד שעה', en: 'until' },
  quietHint: {
    he: 'שעון ישראל, לדוגמה 22:00 עד 07:00. ריק: שולחים בכל שעה.',
    en: 'Israel time, for example 22:00 until 07:00. Empty: at any hour.',
  },
  hold: { he: 'דקות המתנה למספר הקצאה', en: 'Minutes to wait for an allocation number' },
  accountant: { he: 'עותק לרואה החשבון', en: "Accountant's copy" },
  accountantCopy: { he: 'לשלוח עותק של כל מסמך', en: 'Send a copy of each document' },
  accountantEmail: { he: 'דוא"ל של רואה החשבון', en: "The accountant's email" },
  preview: { he: 'כך נראה מסמך', en: 'How a document looks' },
  showPreview: { he: 'תצוגה מקדימה', en: 'Preview' },
  saved: {
    he: 'ההגדרות נשמרו. הן תקפות מהמסמך הבא.',
    en: 'The settings are saved. They hold from the next document.',
  },
  wrong: { he: 'דבר לא נשמר. יש לתקן:', en: 'Nothing was saved. Correct:' },
  changed: {
    he: 'דבר לא נשמר: ההגדרות השתנו אחרי שהדף נטען. מה שהוקלד כאן נשאר; יש לבדוק ולשמור שוב.',
    en: 'Nothing was saved: the settings have changed since this page was loaded. What you typed is still here; check it and save again.',
  },
  changes: { he: 'מה השתנה', en: 'What has changed' },
  otherChanges: { he: 'השתנתה הגדרה שאינה בטופס.', en: 'A setting that is not in the form.' },
  yes: { he: 'כן', en: 'Yes' },
  no: { he: 'לא', en: 'No' },
  none: { he: 'ריק', en: 'Empty' },
  readOnly: { he: 'רק בעלי העסק יכולים לשנות.', en: 'Only an owner can change this.' },
  proof: {
    he: 'דבר לא נשמר עדיין: שינוי של כתובות דוא"ל דורש לאמת מי כאן. יש לאמת בחלון החדש, לחזור ולשמור.',
    en: 'Nothing is saved yet: a change of email addresses needs a proof of who you are. Prove it in the new window, come back and save.',
  },
  prove: { he: 'אימות', en: 'Prove who you are' },
  badTerms: { he: 'מספר שלם של ימים, מ-0 עד 365.', en: 'A whole number of days, from 0 to 365.' },
  badHold: { he: 'מספר שלם של דקות, מ-0 עד 1,440.', en: 'A whole number of minutes, from 0 to 1,440.' },
  badLogo: {
    he: 'אי אפשר לקרוא את הקובץ: PNG או SVG, עד 64KB.',
    en: 'The file cannot be read: a PNG or SVG of at most 64 KB.',
  },
  tooManyLogos: {
    he: 'הועלו כבר 20 לוגואים ברבע שעה. אפשר להמשיך בעוד כמה דקות.',
    en: '20 logos were uploaded within 15 minutes. Please go on in some minutes.',
  },
  badAccent: {
    he: 'צבע בהיר מדי: לא יהיה אפשר לקרוא אותו על נייר.',
    en: 'The color is too light: it could not be read on paper.',
  },
  badQuiet: { he: 'שתי שעות שונות, כמו 22:00 ו-07:00.', en: 'Two different times, such as 22:00 and 07:00.' },
  badEmail: { he: 'כתובת דוא"ל אינה תקינה או חסרה.', en: 'The email address is not valid, or missing.' },
  badPhone: { he: 'מספר הטלפון אינו תקין.', en: 'The phone number is not valid.' },
  badName: { he: 'שם של 2 עד 120 תווים.', en: 'A name of 2 to 120 characters.' },
} as const satisfies Record<string, Words>;

const legalTypesEnglish = {
  osek_murshe: 'Licensed dealer',
  hevra_baam: 'Company',
  osek_patur: 'Exempt dealer',
  amuta: 'Non-profit',
  public_institution: 'Public institution',
} as const satisfies Record<BusinessLegalType, string>;

const legalTypeName = (type: BusinessLegalType, language: Language): string =>
  (language === 'he' ? businessLegalTypes : legalTypesEnglish)[type];

/** The fields of the form as they are shown and sent. */
type Fields = Readonly<Record<string, string>>;

/** The sections of the page, each with a form of its own: its fields, and the members of a change that they make. */
const sections = {
  details: {
    fields: ['name', 'address', 'city', 'email', 'phone', 'language'],
    members: ['name', 'address', 'city', 'email', 'phone', 'language'],
  },
  look: { fields: ['accent_color'], members: ['accent_color', 'logo'] },
  terms: {
    fields: ['payment_terms_days', 'prices_include_vat', 'default_notes'],
    members: ['payment_terms_days', 'prices_include_vat', 'default_notes'],
  },
  sending: {
    fields: ['auto_send', 'channel', 'quiet_from', 'quiet_to', 'allocation_hold_minutes'],
    members: ['auto_send', 'allocation_hold_minutes'],
  },
  accountant: { fields: ['accountant_copy', 'accountant_email'], members: ['accountant_copy'] },
} as const satisfies Record<
  string,
  { fields: readonly string[]; members: readonly (keyof BusinessChange)[] }
>;
type Section = (typeof sections)[keyof typeof sections];

/** The section that a form is about. @throws ApiError `validation_error` where it names none: nothing is saved by mistake. */
function sentSection({ form }: MemberVisit): Section {
  const named = Object.entries(sections).find(([id]) => id === form.get('section'));
  if (!named) {
    throw ApiError.invalid([{ path: '/section', message: 'must name a section of the settings' }]);
  }
  return named[1];
}

const textFields = ['name', 'address', 'city', 'email', 'phone', 'default_notes'] as const;

function fieldsOf(business: Business): Fields {
  const [quietFrom = '', quietTo = ''] = (business.auto_send.quiet_hours ?? '').split('-');
  return {
    name: business.name,
    address: business.address ?? '',
    city: business.city ?? '',
    email: business.email ?? '',
    phone: business.phone ?? '',
    language: business.language,
    accent_color: business.accent_color ?? defaultAccent,
    default_notes: business.default_notes ?? '',
    payment_terms_days: String(business.payment_terms_days),
    prices_include_vat: business.prices_include_vat ? 'yes' : '',
    auto_send: business.auto_send.enabled ? 'yes' : '',
    channel: business.auto_send.channel,
    quiet_from: quietFrom,
    quiet_to: quietTo,
    allocation_hold_minutes: String(business.allocation_hold_minutes),
    accountant_copy: business.accountant_copy.enabled ? 'yes' : '',
    accountant_email: business.accountant_copy.email ?? '',
  };
}

const fieldWords: Readonly<Record<string, Words>> = {
  ...{ name: texts.name, address: texts.address, city: texts.city, email: texts.email, phone: texts.phone },
  ...{ language: texts.language, accent_color: texts.accent, default_notes: texts.notes },
  ...{ payment_terms_days: texts.termDays, prices_include_vat: texts.pricesIncludeVat },
  ...{ auto_send: texts.autoSend, channel: texts.channel },
  ...{ quiet_from: texts.quietFrom, quiet_to: texts.quietTo, allocation_hold_minutes: texts.hold },
  ...{ accountant_copy: texts.accountantCopy, accountant_email: texts.accountantEmail },
};
const boxes = ['prices_include_vat', 'auto_send', 'accountant_copy'];
const channelWords = { email: texts.viaEmail, whatsapp: texts.whatsapp, both: texts.both };
const valueWords: Readonly<Record<string, Readonly<Record<string, Words>>>> = {
  language: { he: texts.he, en: texts.en },
  channel: channelWords,
  ...Object.fromEntries(boxes.map((name) => [name, { yes: texts.yes, '': texts.no }])),
};

function valueText(name: string, value: string, language: Language): Markup {
  const word = valueWords[name]?.[value] ?? (value === '' ? texts.none : undefined);
  return isolate(word?.[language] ?? value, language);
}

/** The settings of which a form was made, in fields that its page sends along. */
interface FormBase {
  readonly version: string;
  /** The fields as JSON. */
  readonly fields: string;
}

const baseOf = ({ business, settingsVersion }: MemberVisit): FormBase => ({
  version: settingsVersion,
  fields: JSON.stringify(fieldsOf(business)),
});

const sentBase = ({ form }: MemberVisit): FormBase => ({
  version: form.get('version') ?? '',
  fields: form.get('base') ?? '',
});

/** Where mails of the business go: a change of these needs a fresh proof. */
const provedFields = ['email', 'accountant_copy', 'accountant_email'] as const;

/** In a window of its own, since what was typed is not saved yet. */
function proofNotice({ language, link }: MemberVisit): Markup {
  const href = proofPath(link('/business'));
  return html`${texts.proof[language]} <a href="${href}" target="_blank">${texts.prove[language]}</a>`;
}

/** The fields of the form; those of other sections are as they are. */
function sentFields(visit: MemberVisit, business: Business): Fields {
  const own = new Set<string>(sentSection(visit).fields);
  return Object.fromEntries(
    Object.entries(fieldsOf(business)).map(([name, value]) => [
      name,
      own.has(name) ? readField(visit.form, name, kinds[name]) : value,
    ]),
  );
}

const kinds: Readonly<Record<string, FieldKind>> = {
  email: 'email',
  accountant_email: 'email',
  phone: 'phone',
  default_notes: 'text',
};
const { texts: lengthLimits } = limitsOf(BusinessChange);

const orNull = (text: string | undefined) => (text ? text : null);

/** The change that a form asks for: every field of its section, so that an emptied one is removed. */
function sentChange(visit: MemberVisit, sent: Fields): BusinessChange {
  const { files, form } = visit;
  const change = changeOf(sent, logoOf(files.logo, form.has('remove_logo')));
  const members = new Set<string>(sentSection(visit).members);
  return Object.fromEntries(Object.entries(change).filter(([name]) => members.has(name)));
}

function changeOf(sent: Fields, logo: BusinessChange['logo']): BusinessChange {
  const quiet = sent.quiet_from || sent.quiet_to ? `${sent.quiet_from}-${sent.quiet_to}` : null;
  return {
    name: sent.name ?? '',
    address: orNull(sent.address),
    city: orNull(sent.city),
    email: orNull(sent.email),
    phone: orNull(sent.phone),
    language: sent.language === 'en' ? 'en' : 'he',
    accent_color: sent.accent_color === defaultAccent ? null : orNull(sent.accent_color),
    default_notes: orNull(sent.default_notes),
    payment_terms_days: wholeNumber(sent.payment_terms_days),
    prices_include_vat: sent.prices_include_vat === 'yes',
    allocation_hold_minutes: wholeNumber(sent.allocation_hold_minutes),
    auto_send: {
      enabled: sent.auto_send === 'yes',
      channel: (['email', 'whatsapp', 'both'] as const).find((known) => known === sent.channel) ?? 'email',
      quiet_hours: quiet,
    },
    accountant_copy: { enabled: sent.accountant_copy === 'yes', email: orNull(sent.accountant_email) },
    ...(logo === undefined ? {} : { logo }),
  };
}

/** What is no whole number is refused by the contract. */
const wholeNumber = (text: string | undefined) => (/^\d{1,6}$/.test(text ?? '') ? Number(text) : -1);

function logoOf(file: UploadedFile | undefined, isRemoved: boolean): BusinessChange['logo'] {
  if (file) {
    const mediaType = file.mediaType === 'image/svg+xml' ? 'image/svg+xml' : 'image/png';
    return `data:${mediaType};base64,${file.bytes.toString('base64')}`;
  }
  return isRemoved ? null : undefined;
}

/** What the page states about what the contract refuses. */
const errorRules: readonly FieldRule[] = [
  { path: '/name', text: texts.badName },
  { path: '/email', text: texts.badEmail },
  { path: '/phone', text: texts.badPhone },
  { path: '/accent_color', text: texts.badAccent },
  { path: '/logo', text: texts.badLogo },
  { path: '/payment_terms_days', text: texts.badTerms },
  { path: '/allocation_hold_minutes', text: texts.badHold },
  { path: '/auto_send/quiet_hours', field: 'quiet_from', text: texts.badQuiet },
  { path: '/auto_send', field: 'channel' },
  { path: '/accountant_copy', field: 'accountant_email', text: texts.badEmail },
];

const errorPaths = ({ details }: ApiError): string[] =>
  ((details?.errors ?? []) as readonly ValidationError[]).map(({ path }) => path);

/** The settings of a business, with a preview. */
@ConsolePage({ method: 'GET', path: '/business', access: 'reader' })
export class ShowBusinessSettings {
  async handle(visit: MemberVisit): Promise<PageReply> {
    return settingsPage(visit, fieldsOf(visit.business), {});
  }
}

/** Saves the settings of a business, or shows how they would look. */
@ConsolePage({
  method: 'POST',
  path: '/business',
  access: 'owner',
  changes: 'settings',
  files: true,
  timeoutMs: timeLimitsMs.saveBusiness + timeLimitsMs.replyReserve,
})
export class SaveBusinessSettings {
  constructor(
    private readonly rpc: RpcClient,
    private readonly limiter: AttemptLimiter,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { business, files, form, language, link, session } = visit;
    const sent = sentFields(visit, business);
    const base = sentBase(visit);
    if (form.get('step') === 'preview') {
      return settingsPage(visit, sent, {}, { base });
    }
    if (base.version !== visit.settingsVersion) {
      return changedPage(visit, sent, base);
    }
    const addresses = provedFields.filter((name) => sent[name] !== fieldsOf(business)[name]);
    if (addresses.length > 0 && !isProofFresh(session, this.clock.now())) {
      return settingsPage(visit, sent, {}, { base, refusal: proofNotice(visit) });
    }
    if (files.logo && (await this.limiter.consume('logo_business', business.id)) !== null) {
      return settingsPage(visit, sent, { logo: texts.tooManyLogos[language] }, { base });
    }
    try {
      await this.rpc.call(updateBusiness, {
        business_id: business.id,
        change: sentChange(visit, sent),
        expected_version: base.version,
        person_id: session.personId,
      });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'validation_error') {
        throw error;
      }
      if (errorPaths(error).includes('/expected_version')) {
        const now = await this.rpc.call(showBusiness, { business_id: business.id });
        return changedPage(
          { ...visit, business: now.business, settingsVersion: now.settings_version },
          sent,
          base,
        );
      }
      const errors = {
        ...fieldErrors(error.details, { language, below: '/change', rules: errorRules }),
        ...lengthErrors(sent, lengthLimits, language),
      };
      return settingsPage(visit, sent, errors, { base });
    }
    return redirect(link('/business'), { outcome: 'saved' });
  }
}

/** Stores an uploaded logo for the preview; nothing refers to it until the settings are saved. */
@ConsolePage({
  method: 'POST',
  path: '/business/logo',
  access: 'owner',
  changes: 'settings',
  files: true,
  timeoutMs: timeLimitsMs.saveBusiness,
})
export class UploadPreviewLogo {
  constructor(
    private readonly rpc: RpcClient,
    private readonly limiter: AttemptLimiter,
  ) {}

  async handle({ business, files, language }: MemberVisit): Promise<PageReply> {
    if ((await this.limiter.consume('logo_business', business.id)) !== null) {
      return { kind: 'json', status: 429, value: { error: texts.tooManyLogos[language] } };
    }
    const logo = logoOf(files.logo, false) ?? '';
    try {
      const stored = await this.rpc.call(storeLogo, { business_id: business.id, logo, preview: true });
      return { kind: 'json', status: 200, value: stored };
    } catch (error) {
      if (error instanceof ApiError && error.code === 'validation_error') {
        return { kind: 'json', status: 422, value: { error: texts.badLogo[language] } };
      }
      throw error;
    }
  }
}

/** A sample document with settings that may not be saved yet, for the frame beside the form. */
@ConsolePage({ method: 'GET', path: '/business/preview', access: 'reader' })
export class PreviewBusiness {
  constructor(
    private readonly rpc: RpcClient,
    @InjectConfig() private readonly config: ConsoleConfig,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle({ business, query }: MemberVisit): Promise<PageReply> {
    const shown = previewed(business, query);
    const now = this.clock.now();
    const { document, state } = sampleDocument(shown, dayInIsrael(now), now);
    const { html: body } = await this.rpc.call(renderPage, {
      document,
      state,
      business: shown,
      pdf_url: `${this.config.consoleUrl}/`,
      language: shown.language,
    });
    return { kind: 'file', headers: framedHeaders, body };
  }
}

const checkBusiness = compile(Business);

/** The business with what the query has instead; a value that no document can have is left out, such as half an address. */
function previewed(business: Business, query: URLSearchParams): Business {
  const accent = query.get('accent_color')?.toLowerCase() ?? '';
  const isReadable = /^#[0-9a-f]{6}$/.test(accent) && contrast(accent, '#ffffff') >= textContrastMin;
  const logo = query.get('logo') ?? '';
  let shown = business;
  for (const name of textFields) {
    const typed = query.get(name)?.trim();
    const { [name]: _, ...others } = shown;
    const emptied = name === 'default_notes' ? others : { ...others, [name]: null };
    const checked = checkBusiness(typed === '' ? emptied : { ...others, [name]: typed });
    shown = typed !== undefined && checked.ok ? checked.value : shown;
  }
  return {
    ...shown,
    language: languages.find((known) => known === query.get('language')) ?? business.language,
    ...(isReadable && { accent_color: accent }),
    ...(/^[0-9a-f]{64}$/.test(logo) && { logo: { sha256: logo } }),
  };
}

/** Who has typed something keeps it; what was left as it was takes the value of now, so that saving again changes nothing back. */
function changedPage(visit: MemberVisit, sent: Fields, base: FormBase): PageReply {
  const { business, language } = visit;
  const now = fieldsOf(business);
  const before = readFields(base.fields);
  const given = Object.fromEntries(
    Object.entries(now).map(([name, value]) => [
      name,
      sent[name] === before[name] ? value : (sent[name] ?? ''),
    ]),
  );
  const changes = Object.entries(now).flatMap(([name, value]) => {
    const was = before[name] ?? value;
    const [old, current] = [was, value].map((each) => valueText(name, each, language));
    const shown = html`<del>${old ?? null}</del> → <ins>${current ?? null}</ins>`;
    return was === value ? [] : [[fieldWords[name]?.[language] ?? name, shown] as const];
  });
  const list = changes.length === 0 ? html`<p>${texts.otherChanges[language]}</p>` : facts(changes, language);
  return settingsPage(
    visit,
    given,
    {},
    {
      base: baseOf(visit),
      refusal: html`${texts.changed[language]}`,
      more: card({ id: 'changes', title: texts.changes[language], content: list }),
    },
  );
}

/** The fields of which a form was made; none where it does not name them. */
function readFields(json: string): Fields {
  try {
    const fields: unknown = JSON.parse(json);
    return Object.fromEntries(
      Object.entries(fields ?? {}).filter(([, value]) => typeof value === 'string'),
    ) as Fields;
  } catch {
    return {};
  }
}

function settingsPage(
  visit: MemberVisit,
  given: Fields,
  errors: FieldErrors,
  {
    base = baseOf(visit),
    refusal = null,
    more = null,
  }: { readonly base?: FormBase; readonly refusal?: Markup | null; readonly more?: Markup | null } = {},
): PageReply {
  const { business, language, outcome, role } = visit;
  const previewQuery = Object.fromEntries(
    [...textFields, 'accent_color', 'language'].map((name) => [name, given[name]]),
  );
  const isWrong = Object.keys(errors).length > 0;
  const message =
    refusal ??
    (isWrong ? html`${texts.wrong[language]} ${[...new Set(Object.values(errors))].join(' ')}` : null);
  const settings = [
    detailsSection(visit, given, errors, base),
    lookSection(visit, given, errors, base),
    termsSection(visit, given, errors, base),
    sendingSection(visit, given, errors, base),
    accountantSection(visit, given, errors, base),
  ];
  return page(
    words.business[language],
    html`${pageHead({ title: words.business[language], language, lead: role === 'owner' ? null : texts.readOnly[language] })}
${message && notice('error', message)}
${outcome === 'saved' ? notice('done', texts.saved[language]) : null}
${more}
<div class="columns">
  <div>
    ${identityCard(business, language)}
    ${settings}
  </div>
  <div>
    ${previewCard(visit, previewQuery)}
  </div>
</div>`,
    isWrong || refusal !== null ? 422 : 200,
  );
}

/** The approval under section 46; null for a business that cannot have one. */
function approvalFact(
  { legal_type, donation_approval: approval }: Business,
  language: Language,
): Markup | null {
  if (legal_type !== 'amuta' && legal_type !== 'public_institution') {
    return null;
  }
  if (!approval) {
    return html`${texts.noApproval[language]}`;
  }
  const until =
    approval.valid_until !== null &&
    html`, ${texts.approvalUntil[language]} ${leftToRight(formatDay(approval.valid_until, language))}`;
  return html`${leftToRight(approval.number)}${until}`;
}

function identityCard(business: Business, language: Language): Markup {
  const { legal_type, tax_id, vat_rate } = business;
  const missing = texts.missing[language];
  const known = facts(
    [
      [texts.legalType[language], legal_type ? legalTypeName(legal_type, language) : missing],
      [texts.taxId[language], tax_id ? leftToRight(tax_id) : missing],
      [texts.approval[language], approvalFact(business, language)],
      [texts.vatRate[language], leftToRight(formatPercent(vat_rate))],
    ],
    language,
  );
  return card({
    id: 'identity',
    title: texts.identity[language],
    content: html`${known}
<p class="hint">${texts.identityHint[language]}</p>`,
  });
}

function previewCard(
  { language, link }: MemberVisit,
  query: Readonly<Record<string, string | undefined>>,
): Markup {
  const frame = attributes({
    title: texts.preview[language],
    src: link('/business/preview', query),
    'data-preview': link('/business/preview'),
    sandbox: '',
    loading: 'lazy',
  });
  const content = html`<div class="frame">
    <iframe${frame}></iframe>
  </div>`;
  return html`<div class="preview">
  ${card({ id: 'preview', title: texts.preview[language], content })}
</div>`;
}

type SectionPart = (visit: MemberVisit, given: Fields, errors: FieldErrors, base: FormBase) => Markup;

/** A section with its form, which sends the settings along that it was made of. */
function section(
  id: keyof typeof sections,
  title: Words,
  contentOf: (
    input: (name: string, word: Words, more?: Partial<FormField>) => Markup,
    box: (name: string, word: Words) => Markup,
    visit: MemberVisit,
    given: Fields,
    errors: FieldErrors,
  ) => Markup,
  hasPreview = false,
): SectionPart {
  return (visit, given, errors, base) => {
    const { csrfToken, language, link, role } = visit;
    const input = (name: string, word: Words, more: Partial<FormField> = {}) =>
      field({ name, label: word[language], value: given[name] ?? '', error: errors[name], ...more });
    const box = (name: string, word: Words) =>
      checkbox({ name, label: word[language], checked: given[name] === 'yes' });
    const preview = button({
      text: texts.showPreview[language],
      kind: 'secondary',
      name: 'step',
      value: 'preview',
    });
    return formSection({
      id,
      title: title[language],
      action: link('/business'),
      csrfToken,
      multipart: true,
      data: { 'data-preview-form': true, 'data-logo': link('/business/logo') },
      readOnly: role !== 'owner',
      save: words.save[language],
      more: hasPreview ? preview : null,
      content: html`${hidden('version', base.version)}
      ${hidden('base', base.fields)}
      ${contentOf(input, box, visit, given, errors)}`,
    });
  };
}

const detailsSection = section(
  'details',
  texts.profile,
  (input, _box, { language }, given) => html`${input('name', texts.name, {
    required: true,
    autocomplete: 'organization',
  })}
      ${input('address', texts.address, { autocomplete: 'address-line1' })}
      ${input('city', texts.city, { autocomplete: 'address-level2' })}
      ${input('email', texts.email, { type: 'email', ltr: true, autocomplete: 'email' })}
      ${input('phone', texts.phone, { type: 'tel', ltr: true, autocomplete: 'tel' })}
      ${choice({
        name: 'language',
        label: texts.language[language],
        value: given.language ?? 'he',
        options: languages.map((known) => [known, texts[known][language]] as const),
      })}`,
  true,
);

const lookSection = section(
  'look',
  texts.look,
  (input, _box, { business, language }) => html`${input('accent_color', texts.accent, {
    type: 'color',
    hint: texts.accentHint[language],
  })}
      ${input('logo', texts.logo, {
        type: 'file',
        accept: 'image/png,image/svg+xml',
        hint: texts.logoHint[language],
      })}
      ${
        business.logo
          ? checkbox({ name: 'remove_logo', label: texts.removeLogo[language], checked: false })
          : null
      }`,
  true,
);

const termsSection = section(
  'terms',
  texts.terms,
  (input, box, { language }, given, errors) => html`${input('payment_terms_days', texts.termDays, {
    type: 'number',
    min: '0',
    max: '365',
    ltr: true,
  })}
      ${box('prices_include_vat', texts.pricesIncludeVat)}
      <div class="wide">
        ${textarea({
          name: 'default_notes',
          label: texts.notes[language],
          value: given.default_notes ?? '',
          error: errors.default_notes,
        })}
      </div>`,
);

const sendingSection = section(
  'sending',
  texts.sending,
  (input, box, { language }, given, errors) => html`${box('auto_send', texts.autoSend)}
      ${choice({
        name: 'channel',
        label: texts.channel[language],
        value: given.channel ?? 'email',
        error: errors.channel,
        options: Object.entries(channelWords).map(([value, word]) => [value, word[language]] as const),
      })}
      ${input('allocation_hold_minutes', texts.hold, { type: 'number', min: '0', max: '1440', ltr: true })}
      ${input('quiet_from', texts.quietFrom, { type: 'time', ltr: true, hint: texts.quietHint[language] })}
      ${input('quiet_to', texts.quietTo, { type: 'time', ltr: true })}`,
);

const accountantSection = section(
  'accountant',
  texts.accountant,
  (input, box) => html`${box('accountant_copy', texts.accountantCopy)}
      ${input('accountant_email', texts.accountantEmail, { type: 'email', ltr: true })}`,
);
