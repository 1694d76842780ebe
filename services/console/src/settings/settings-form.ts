import type { Business } from '@pinkas/contracts';
import { type BusinessLegalType, businessLegalTypes, formatDay } from '@pinkas/domain';
import {
  attributes,
  button,
  card,
  checkbox,
  type FieldErrors,
  facts,
  formatPercent,
  formSection,
  hidden,
  html,
  join,
  type Language,
  leftToRight,
  type Markup,
  notice,
  pageHead,
  tabs,
  type Words,
} from '@pinkas/ui';
import { fieldInput, type Values } from '../frame/form-fields.js';
import { draftActs, keepsTyping, typedNotice } from '../frame/typed-form.js';
import { words } from '../frame/words.js';
import { type PageReply, page } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { type SectionId, sectionOf, settings, settingsSections, valuesOf } from './settings.js';

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
  removeLogo: { he: 'הסרת הלוגו', en: 'Remove the logo' },
  preview: { he: 'כך נראה מסמך', en: 'How a document looks' },
  showPreview: { he: 'תצוגה מקדימה', en: 'Preview' },
  saved: {
    he: 'ההגדרות נשמרו. הן תקפות מהמסמך הבא.',
    en: 'The settings are saved. They hold from the next document.',
  },
  wrong: { he: 'דבר לא נשמר. יש לתקן:', en: 'Nothing was saved. Correct:' },
  readOnly: { he: 'רק בעלי העסק יכולים לשנות.', en: 'Only an owner can change this.' },
} as const satisfies Record<string, Words>;

const legalTypesEnglish = {
  osek_murshe: 'VAT-registered business',
  hevra_baam: 'Company',
  osek_patur: 'Exempt dealer',
  amuta: 'Non-profit',
  public_institution: 'Public institution',
} as const satisfies Record<BusinessLegalType, string>;

const legalTypeName = (type: BusinessLegalType, language: Language): string =>
  (language === 'he' ? businessLegalTypes : legalTypesEnglish)[type];

/** The settings of which a form was made, in fields that its page sends along. */
export interface FormBase {
  readonly version: string;
  /** What its fields held, as JSON. */
  readonly fields: string;
}

export const baseOf = ({ business, settingsVersion }: MemberVisit): FormBase => ({
  version: settingsVersion,
  fields: JSON.stringify(valuesOf(business)),
});

/** What the page shows: what was typed, and what became of it. */
export interface SettingsForm {
  readonly values: Values;
  readonly errors?: FieldErrors;
  readonly base?: FormBase;
  /** Why nothing was saved, where that is about no field. */
  readonly refusal?: Markup | null;
  readonly more?: Markup | null;
}

/** The page of the settings, with a preview. */
export function settingsPage(visit: MemberVisit, given: SettingsForm): PageReply {
  const { business, language, t, outcome, role } = visit;
  const { values, errors = {}, base = baseOf(visit), refusal = null, more = null } = given;
  const shown = { values, errors, base };
  const isWrong = Object.keys(errors).length > 0;
  const message =
    refusal ?? (isWrong ? html`${t(texts.wrong)} ${[...new Set(Object.values(errors))].join(' ')}` : null);
  const ids = Object.keys(settingsSections) as SectionId[];
  return page(
    t(words.business),
    html`${pageHead({ title: t(words.business), language, lead: role === 'owner' ? null : t(texts.readOnly) })}
${message && notice('error', message)}
${outcome === 'saved' ? notice('done', t(texts.saved)) : typedNotice(visit, typedSection(visit))}
${more}
${tabs({
  label: t(words.business),
  kind: 'parts',
  items: ids.map((id) => ({ href: `#${id}`, text: t(sectionOf(id).title), isCurrent: false })),
})}
<div class="columns settings">
  <div>
    ${identityCard(business, language)}
    ${ids.map((id) => section(visit, id, shown))}
  </div>
  <div>
    ${previewCard(visit, values)}
  </div>
</div>`,
    isWrong || refusal !== null ? 422 : 200,
  );
}

const isTyped = ({ typed }: MemberVisit, id: SectionId): boolean => typed?.form.get('section') === id;

/** Leads to the section that has what was typed before. */
function typedSection(visit: MemberVisit): Markup | null {
  const id = (Object.keys(settingsSections) as SectionId[]).find((each) => isTyped(visit, each));
  return id ? html`<a href="#${id}">${visit.t(sectionOf(id).title)}</a>` : null;
}

/** A section with its form, which sends the settings along that it was made of. */
function section(
  visit: MemberVisit,
  id: SectionId,
  { values, errors, base }: { values: Values; errors: FieldErrors; base: FormBase },
): Markup {
  const { business, csrfToken, language, t, link, role } = visit;
  const { title, fields, logo, hasPreview } = sectionOf(id);
  const given = { values, errors, language };
  const inputs = Object.entries(fields).map(([name, setting]) => {
    const input = fieldInput(name, setting, given);
    return setting.type === 'area'
      ? html`<div class="wide">
        ${input}
      </div>`
      : input;
  });
  const remove = () => checkbox({ name: 'remove_logo', label: t(texts.removeLogo), checked: false });
  const files = logo ? [fieldInput('logo', logo, given), business.logo ? remove() : html``] : [];
  const preview = button({
    text: t(texts.showPreview),
    kind: 'secondary',
    name: 'step',
    value: 'preview',
  });
  return formSection({
    id,
    title: t(title),
    action: link('/business'),
    csrfToken,
    multipart: true,
    data: { ...keepsTyping, 'data-preview-form': true, 'data-logo': link('/business/logo') },
    readOnly: role !== 'owner',
    save: t(words.save),
    more: html`${hasPreview ? preview : null}
      ${draftActs({ ...visit, typed: isTyped(visit, id) ? (visit.typed ?? null) : null })}`,
    content: html`${hidden('version', base.version)}
      ${hidden('base', base.fields)}
      ${join([...inputs, ...files], '\n      ')}`,
  });
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

function previewCard({ t, link }: MemberVisit, values: Values): Markup {
  const previewed = Object.keys(settings).filter((name) => settings[name]?.preview);
  const frame = attributes({
    title: t(texts.preview),
    src: link('/business/preview', Object.fromEntries(previewed.map((name) => [name, values[name]]))),
    'data-preview': link('/business/preview'),
    sandbox: '',
    loading: 'lazy',
  });
  const content = html`<iframe${frame}></iframe>`;
  return html`<div class="preview">
  ${card({ id: 'preview', title: t(texts.preview), content })}
</div>`;
}
