import {
  BusinessChange,
  showBusiness,
  timeLimitsMs,
  updateBusiness,
  type ValidationError,
} from '@pinkas/contracts';
import { ApiError, type Clock, InjectClock, RpcClient } from '@pinkas/service-kit';
import { card, facts, html, isolate, type Language, type Markup, type Words } from '@pinkas/ui';
import { AttemptLimiter } from '../access/sign-in/attempt-limiter.js';
import { type FieldSpec, readFields, refusedFields, type Values } from '../frame/form-fields.js';
import { ConsolePage, PageController, type PageReply, redirect } from '../http/console-page.js';
import { limitsOf } from '../http/form-limits.js';
import { isProofFresh, proofPath } from '../http/fresh-proof.js';
import type { MemberVisit } from '../http/visit.js';
import { logoOf, tooManyLogos } from './business-preview-pages.js';
import { changeOf, type SectionId, sectionOf, settings, settingsSections, valuesOf } from './settings.js';
import { baseOf, type FormBase, type SettingsForm, settingsPage } from './settings-form.js';

const texts = {
  changed: {
    he: 'דבר לא נשמר: ההגדרות השתנו אחרי שהדף נטען. מה שהוקלד כאן נשאר; יש לבדוק ולשמור שוב.',
    en: 'Nothing was saved: the settings have changed since this page was loaded. What you typed is still here; check it and save again.',
  },
  changes: { he: 'מה השתנה', en: 'What has changed' },
  otherChanges: { he: 'השתנתה הגדרה שאינה בטופס.', en: 'A setting that is not in the form.' },
  yes: { he: 'כן', en: 'Yes' },
  no: { he: 'לא', en: 'No' },
  none: { he: 'ריק', en: 'Empty' },
  proof: {
    he: 'דבר לא נשמר עדיין: שינוי של כתובות אימייל דורש לאמת מי כאן. יש לאמת בחלון החדש, לחזור ולשמור.',
    en: 'Nothing is saved yet: a change of email addresses needs a proof of who you are. Prove it in the new window, come back and save.',
  },
  prove: { he: 'אימות', en: "Confirm it's you" },
} as const satisfies Record<string, Words>;

/** The settings of a business, with a preview. */
@PageController({ access: 'owner', path: '/business' })
export class SettingsPages {
  constructor(
    private readonly rpc: RpcClient,
    private readonly limiter: AttemptLimiter,
    @InjectClock() private readonly clock: Clock,
  ) {}

  @ConsolePage({ method: 'GET', access: 'reader', draft: true })
  async show(visit: MemberVisit): Promise<PageReply> {
    const now = valuesOf(visit.business);
    const form = visit.typed?.form;
    return form
      ? settingsPage(visit, { values: { ...now, ...typedOf(form) }, base: sentBase(form) })
      : settingsPage(visit, { values: now });
  }

  /** Saves a section, or shows how it would look. */
  @ConsolePage({
    method: 'POST',
    changes: 'settings',
    draft: true,
    files: true,
    timeoutMs: timeLimitsMs.saveBusiness + timeLimitsMs.replyReserve,
  })
  async save(visit: MemberVisit): Promise<PageReply> {
    const { business, files, form, t, session } = visit;
    const section = sentSection(visit);
    const now = valuesOf(business);
    const values = { ...now, ...readFields(sectionOf(section).fields, form) };
    const base = sentBase(form);
    const shown = (more: Partial<SettingsForm>) => settingsPage(visit, { values, base, ...more });
    if (form.get('step') === 'preview') {
      return shown({});
    }
    if (base.version !== visit.settingsVersion) {
      return changedPage(visit, values, base);
    }
    const isProofDue = Object.keys(settings).some(
      (name) => settings[name]?.isProved && values[name] !== now[name],
    );
    if (isProofDue && !isProofFresh(session, this.clock.now())) {
      return shown({ refusal: proofNotice(visit) });
    }
    if (files.logo && (await this.limiter.consume('logo_business', business.id)) !== null) {
      return shown({ errors: { logo: t(tooManyLogos) } });
    }
    return this.#save(visit, section, { values, base }, shown);
  }

  async #save(
    visit: MemberVisit,
    section: SectionId,
    { values, base }: { readonly values: Values; readonly base: FormBase },
    shown: (more: Partial<SettingsForm>) => PageReply,
  ): Promise<PageReply> {
    const { business, language, link, session } = visit;
    try {
      await this.rpc.call(updateBusiness, {
        business_id: business.id,
        change: { ...changeOf(section, values), ...sentLogo(visit, section) },
        expected_version: base.version,
        person_id: session.personId,
      });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'validation_error') {
        throw error;
      }
      if (errorPaths(error).includes('/expected_version')) {
        const now = await this.rpc.call(showBusiness, { business_id: business.id });
        const current = { ...visit, business: now.business, settingsVersion: now.settings_version };
        return changedPage(current, values, base);
      }
      const given = { language, below: '/change', values, limits: lengthLimits };
      return shown({ errors: refusedFields(specs, error, given) });
    }
    return redirect(link('/business'), { outcome: 'saved' });
  }
}

const specs = { ...settings, logo: settingsSections.look.logo };
const { texts: lengthLimits } = limitsOf(BusinessChange);

const errorPaths = ({ details }: ApiError): string[] =>
  ((details?.errors ?? []) as readonly ValidationError[]).map(({ path }) => path);

/** The settings of which a form was made that was sent. */
const sentBase = (form: URLSearchParams): FormBase => ({
  version: form.get('version') ?? '',
  fields: form.get('base') ?? '',
});

/** What was typed into a section and not saved; nothing where there is no such section any more. */
function typedOf(form: URLSearchParams): Values {
  const named = form.get('section') ?? '';
  return Object.hasOwn(settingsSections, named) ? readFields(sectionOf(named as SectionId).fields, form) : {};
}

/** The section that a form is about. @throws ApiError `validation_error` where it names none: nothing is saved by mistake. */
function sentSection({ form }: MemberVisit): SectionId {
  const named = form.get('section') ?? '';
  if (!Object.hasOwn(settingsSections, named)) {
    throw ApiError.invalid([{ path: '/section', message: 'must name a section of the settings' }]);
  }
  return named as SectionId;
}

function sentLogo({ files, form }: MemberVisit, section: SectionId): BusinessChange {
  const logo = sectionOf(section).logo && logoOf(files.logo, form.has('remove_logo'));
  return logo === undefined ? {} : { logo };
}

/** In a window of its own, since what was typed is not saved yet. */
function proofNotice({ t, link }: MemberVisit): Markup {
  const href = proofPath(link('/business'));
  return html`${t(texts.proof)} <a href="${href}" target="_blank">${t(texts.prove)}</a>`;
}

/** Who has typed something keeps it; what was left as it was takes the value of now, so that saving again changes nothing back. */
function changedPage(visit: MemberVisit, sent: Values, base: FormBase): PageReply {
  const { language, t } = visit;
  const now = valuesOf(visit.business);
  const before = readValues(base.fields);
  const values = Object.fromEntries(
    Object.entries(now).map(([name, value]) => [
      name,
      sent[name] === before[name] ? value : (sent[name] ?? ''),
    ]),
  );
  const changes = Object.entries(settings).flatMap(([name, setting]) => {
    const value = now[name] ?? '';
    const was = before[name] ?? value;
    const [old, current] = [was, value].map((each) => valueText(setting, each, language));
    const shown = html`<del>${old ?? null}</del> → <ins>${current ?? null}</ins>`;
    return was === value ? [] : [[t(setting.word), shown] as const];
  });
  const list = changes.length === 0 ? html`<p>${t(texts.otherChanges)}</p>` : facts(changes, language);
  return settingsPage(visit, {
    values,
    base: baseOf(visit),
    refusal: html`${t(texts.changed)}`,
    more: card({ id: 'changes', title: t(texts.changes), content: list }),
  });
}

function valueText({ type, options }: FieldSpec, value: string, language: Language): Markup {
  const ticked = type === 'box' && texts[value === 'yes' ? 'yes' : 'no'];
  const word = options?.[value] ?? (ticked || (value === '' ? texts.none : undefined));
  return isolate(word?.[language] ?? value, language);
}

/** What the fields held of which a form was made; nothing where it does not name them. */
function readValues(json: string): Partial<Values> {
  try {
    const fields: unknown = JSON.parse(json);
    return Object.fromEntries(
      Object.entries(fields ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch {
    return {};
  }
}
