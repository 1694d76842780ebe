import type { Business, BusinessChange } from '@pinkas/contracts';
import { contrast, textContrastMin } from '@pinkas/domain';
import { defaultAccent, type Words } from '@pinkas/ui';
import type { FieldSpec, Values } from '../form-fields.js';

/** Where a setting is, in a business and in a change of one. */
type SettingPath =
  | keyof BusinessChange
  | `auto_send.${keyof Business['auto_send']}`
  | `accountant_copy.${keyof Business['accountant_copy']}`;

/** The type of what is at a path. */
type ValueAt<T, Path> = Path extends keyof T
  ? T[Path]
  : Path extends `${infer Member}.${infer Inner}`
    ? Member extends keyof T
      ? ValueAt<NonNullable<T[Member]>, Inner>
      : never
    : never;

/** How a setting is written into its field, and read out of it. */
interface Codec<Shown, Stored> {
  shown(value: Shown): string;
  /** Absent: another field stores what is typed here. @param sent all fields of the form. */
  stored?(typed: string, sent: Values): Stored;
}

/** A setting of a business: a field of the form, with the value that it shows. */
export interface Setting extends FieldSpec {
  readonly at: string;
  readonly shown: (business: Business) => string;
  readonly stored?: (typed: string, sent: Values) => unknown;
  /** What the preview shows of what is typed; null: what is saved. */
  readonly preview?: (typed: string) => unknown;
  /** Where emails of the business go: a change needs a fresh proof. */
  readonly isProved?: boolean;
}

/** The value of a member, or of a member of a member. */
const valueAt = (path: string, business: object): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], business);

function setting<const Path extends SettingPath>(
  at: Path,
  { shown, stored }: Codec<ValueAt<Business, Path>, ValueAt<BusinessChange, Path>>,
  spec: FieldSpec & Pick<Setting, 'preview' | 'isProved'>,
): Setting {
  return {
    ...spec,
    at,
    shown: (business) => shown(valueAt(at, business) as ValueAt<Business, Path>),
    ...(stored && { stored }),
  };
}

const orNull = (typed: string) => (typed === '' ? null : typed);

const required: Codec<string, string> = { shown: (value) => value, stored: (typed) => typed };
/** An emptied text is removed. */
const text: Codec<string | null | undefined, string | null> = {
  shown: (value) => value ?? '',
  stored: orNull,
};
const flag: Codec<boolean, boolean> = {
  shown: (value) => (value ? 'yes' : ''),
  stored: (typed) => typed === 'yes',
};
/** What is no whole number is refused by the contract. */
const integer: Codec<number, number> = {
  shown: String,
  stored: (typed) => (/^\d{1,6}$/.test(typed) ? Number(typed) : -1),
};
const color: Codec<string | undefined, string | null> = {
  shown: (value) => value ?? defaultAccent,
  stored: (typed) => (typed === defaultAccent ? null : orNull(typed)),
};
const times = (hours: string | null) => (hours ?? '').split('-');

/** One of the values that a field offers, the first where it is none of them. */
function oneOf<const Value extends string>(
  ...[first, ...others]: readonly [Value, ...Value[]]
): Codec<Value, Value> {
  return {
    shown: (value) => value,
    stored: (typed) => [first, ...others].find((value) => value === typed) ?? first,
  };
}

/** The preview shows a color that can be read on white paper. */
function readableColor(typed: string): string | null {
  const value = typed.toLowerCase();
  const isReadable = /^#[0-9a-f]{6}$/.test(value) && contrast(value, '#ffffff') >= textContrastMin;
  return isReadable ? value : null;
}

/** A section of the page, with a form of its own. */
interface SettingsSection {
  readonly title: Words;
  readonly fields: Readonly<Record<string, Setting>>;
  /** A file, which is no text of the form. */
  readonly logo?: FieldSpec;
  /** Whether a button shows how a document would look. */
  readonly hasPreview?: boolean;
}

const badEmail = {
  he: 'כתובת האימייל אינה תקינה או חסרה.',
  en: 'The email address is not valid, or missing.',
};

/** The settings that an owner changes, in the order of the page. Each is declared here alone. */
export const settingsSections = {
  details: {
    title: { he: 'פרטים במסמכים', en: 'Details on documents' },
    hasPreview: true,
    fields: {
      name: setting('name', required, {
        word: { he: 'שם העסק', en: 'Business name' },
        refused: { he: 'שם של 2 עד 120 תווים.', en: 'A name of 2 to 120 characters.' },
        more: { required: true, autocomplete: 'organization' },
        preview: orNull,
      }),
      address: setting('address', text, {
        word: { he: 'כתובת', en: 'Address' },
        more: { autocomplete: 'address-line1' },
        preview: orNull,
      }),
      city: setting('city', text, {
        word: { he: 'עיר', en: 'City' },
        more: { autocomplete: 'address-level2' },
        preview: orNull,
      }),
      email: setting('email', text, {
        word: { he: 'אימייל', en: 'Email' },
        type: 'email',
        refused: badEmail,
        more: { autocomplete: 'email' },
        preview: orNull,
        isProved: true,
      }),
      phone: setting('phone', text, {
        word: { he: 'טלפון', en: 'Phone' },
        type: 'tel',
        refused: { he: 'מספר הטלפון אינו תקין.', en: 'The phone number is not valid.' },
        more: { autocomplete: 'tel' },
        preview: orNull,
      }),
      language: setting('language', oneOf('he', 'en'), {
        word: { he: 'שפת המסמכים', en: 'Language of documents' },
        options: { he: { he: 'עברית', en: 'Hebrew' }, en: { he: 'אנגלית', en: 'English' } },
        preview: (typed) => typed,
      }),
    },
  },
  look: {
    title: { he: 'מיתוג', en: 'Branding' },
    hasPreview: true,
    fields: {
      accent_color: setting('accent_color', color, {
        word: { he: 'צבע', en: 'Color' },
        hint: {
          he: 'צבע כהה מספיק לקריאה על נייר לבן.',
          en: 'A color dark enough to be read on white paper.',
        },
        type: 'color',
        refused: {
          he: 'צבע בהיר מדי: לא יהיה אפשר לקרוא אותו על נייר.',
          en: 'The color is too light: it could not be read on paper.',
        },
        preview: readableColor,
      }),
    },
    logo: {
      word: { he: 'לוגו', en: 'Logo' },
      hint: { he: 'קובץ PNG או SVG, עד 64KB.', en: 'A PNG or SVG file of at most 64 KB.' },
      type: 'file',
      refused: {
        he: 'אי אפשר לקרוא את הקובץ: PNG או SVG, עד 64KB.',
        en: 'The file cannot be read: a PNG or SVG of at most 64 KB.',
      },
      more: { accept: 'image/png,image/svg+xml' },
    },
  },
  terms: {
    title: { he: 'ברירות מחדל', en: 'Defaults' },
    fields: {
      payment_terms_days: setting('payment_terms_days', integer, {
        word: { he: 'תנאי תשלום (ימים)', en: 'Payment terms (days)' },
        type: 'number',
        refused: { he: 'מספר שלם של ימים, מ-0 עד 365.', en: 'A whole number of days, from 0 to 365.' },
        more: { min: '0', max: '365' },
      }),
      prices_include_vat: setting('prices_include_vat', flag, {
        word: { he: 'המחירים כוללים מע"מ', en: 'Prices include VAT' },
        type: 'box',
      }),
      default_notes: setting('default_notes', text, {
        word: { he: 'הערות קבועות במסמכים', en: 'Default notes' },
        type: 'area',
        preview: (typed) => (typed === '' ? undefined : typed),
      }),
    },
  },
  sending: {
    title: { he: 'שליחה ללקוח', en: 'Sending to the customer' },
    fields: {
      auto_send: setting('auto_send.enabled', flag, {
        word: { he: 'לשלוח כל מסמך ללקוח', en: 'Send each document to the customer' },
        type: 'box',
      }),
      channel: setting('auto_send.channel', oneOf('email', 'whatsapp', 'both'), {
        word: { he: 'באמצעות', en: 'By' },
        options: {
          email: { he: 'אימייל', en: 'Email' },
          whatsapp: { he: 'וואטסאפ', en: 'WhatsApp' },
          both: { he: 'שניהם', en: 'Both' },
        },
      }),
      allocation_hold_minutes: setting('allocation_hold_minutes', integer, {
        word: {
          he: 'כמה דקות להמתין למספר הקצאה לפני שליחה',
          en: 'Minutes to wait for an allocation number before sending',
        },
        type: 'number',
        refused: {
          he: 'מספר שלם של דקות, מ-0 עד 1,440.',
          en: 'A whole number of minutes, from 0 to 1,440.',
        },
        more: { min: '0', max: '1440' },
      }),
      quiet_from: setting(
        'auto_send.quiet_hours',
        {
          shown: (hours) => times(hours)[0] ?? '',
          stored: (from, { quiet_to: to = '' }) => (from || to ? `${from}-${to}` : null),
        },
        {
          word: { he: 'שעות שקט, מ־', en: 'Quiet hours, from' },
          hint: {
            he: 'שעון ישראל, לדוגמה 22:00 עד 07:00. ריק: שולחים בכל שעה.',
            en: 'Israel time, for example 22:00 until 07:00. Empty: at any hour.',
          },
          type: 'time',
          refused: {
            he: 'שתי שעות שונות, כמו 22:00 ו-07:00.',
            en: 'Two different times, such as 22:00 and 07:00.',
          },
        },
      ),
      quiet_to: setting(
        'auto_send.quiet_hours',
        { shown: (hours) => times(hours)[1] ?? '' },
        { word: { he: 'עד שעה', en: 'until' }, type: 'time' },
      ),
    },
  },
  accountant: {
    title: { he: 'עותק לרואה החשבון', en: "Accountant's copy" },
    fields: {
      accountant_copy: setting('accountant_copy.enabled', flag, {
        word: { he: 'לשלוח עותק של כל מסמך', en: 'Send a copy of each document' },
        type: 'box',
        isProved: true,
      }),
      accountant_email: setting('accountant_copy.email', text, {
        word: { he: 'האימייל של רואה החשבון', en: "The accountant's email" },
        type: 'email',
        refused: badEmail,
        isProved: true,
      }),
    },
  },
} as const satisfies Record<string, SettingsSection>;

export type SectionId = keyof typeof settingsSections;

/** The section of a form. */
export const sectionOf = (id: SectionId): SettingsSection => settingsSections[id];

/** All settings, by the names of their fields. */
export const settings: Readonly<Record<string, Setting>> = Object.assign(
  {},
  ...Object.values(settingsSections).map(({ fields }) => fields),
);

/** The settings of a business as the form shows them. */
export const valuesOf = (business: Business): Values =>
  Object.fromEntries(Object.entries(settings).map(([name, { shown }]) => [name, shown(business)]));

/** The change that a section asks for: each of its settings, so that an emptied one is removed. */
export function changeOf(id: SectionId, sent: Values): BusinessChange {
  const change: Record<string, unknown> = {};
  for (const [name, { at, stored }] of Object.entries(sectionOf(id).fields)) {
    const [member = '', inner] = at.split('.');
    const value = stored?.(sent[name] ?? '', sent);
    if (stored) {
      change[member] = inner === undefined ? value : { ...(change[member] as object), [inner]: value };
    }
  }
  return change as BusinessChange;
}
