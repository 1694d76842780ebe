import type { Business, BusinessChange } from '@pinkas/contracts';
import { contrast, documentTypeRules, documentTypes, textContrastMin } from '@pinkas/domain';
import { paymentInstructionWords, type Words } from '@pinkas/ui';
import type { FieldSpec, Values } from '../frame/form-fields.js';
import {
  color,
  firstNumber,
  flag,
  integer,
  oneOf,
  optionalFlag,
  optionalInteger,
  orNull,
  required,
  type Setting,
  setting,
  text,
  times,
} from './setting.js';

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

/** For a business that comes from another program: where each series begins, until its first document is issued. */
function firstNumbers(): Readonly<Record<string, Setting>> {
  return Object.fromEntries(
    documentTypes.map((type) => [
      `first_${type}`,
      setting(`first_numbers.${type}`, firstNumber, {
        word: { he: documentTypeRules[type].nameHe, en: documentTypeRules[type].name },
        type: 'number',
        refused: {
          he: 'מספר שלם מ-1; אחרי שהופק מסמך מסוג זה אי אפשר לשנות.',
          en: 'A whole number from 1; it cannot change once a document of this type was issued.',
        },
        more: { min: '1', max: '999999999' },
        isProved: true,
      }),
    ]),
  );
}

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
      payment_terms_from: setting(
        'payment_terms_from',
        {
          shown: (value) => value ?? 'date',
          stored: (typed) => (typed === 'end_of_month' ? 'end_of_month' : 'date'),
        },
        {
          word: { he: 'הימים נספרים', en: 'Counted from' },
          options: {
            date: { he: 'מתאריך המסמך', en: 'The document date' },
            end_of_month: { he: 'מסוף החודש (שוטף +)', en: 'The end of the month (EOM +)' },
          },
        },
      ),
      quote_valid_days: setting('quote_valid_days', optionalInteger, {
        word: { he: 'תוקף של הצעת מחיר, בימים', en: 'Quotes are valid for (days)' },
        hint: { he: 'ריק: הצעות אינן נוקבות במועד.', en: 'Empty: quotes name no last day.' },
        type: 'number',
        refused: { he: 'מספר שלם של ימים, מ-0 עד 3,650.', en: 'A whole number of days, from 0 to 3,650.' },
        more: { min: '0', max: '3650' },
      }),
      delivery_notes_without_prices: setting('delivery_notes_without_prices', optionalFlag, {
        word: { he: 'תעודות משלוח והחזרה בלי מחירים', en: 'Delivery and return notes without prices' },
        type: 'box',
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
  payment: {
    title: { he: 'איך הלקוחות משלמים', en: 'How customers pay you' },
    fields: {
      pay_bank: setting('payment_instructions.bank', text, {
        word: { he: 'בנק', en: 'Bank' },
        hint: {
          he: 'שם ומספר, לדוגמה: הפועלים (12). מודפס בחשבוניות מס ובחשבונות עסקה, ומופיע בדף המסמך ובאימייל.',
          en: 'Name and number. Printed on tax invoices and proformas, and shown on their page and in the email.',
        },
        refused: { he: 'שם הבנק חסר.', en: 'The name of the bank is missing.' },
        isProved: true,
      }),
      pay_branch: setting('payment_instructions.branch', text, {
        word: { he: 'סניף', en: 'Branch' },
        refused: { he: 'מספר הסניף: עד 4 ספרות.', en: 'The number of the branch: up to 4 digits.' },
        isProved: true,
      }),
      pay_account: setting('payment_instructions.account', text, {
        word: paymentInstructionWords.account,
        refused: { he: 'מספר החשבון: ספרות, מקפים ולוכסנים בלבד.', en: 'Digits, hyphens and slashes alone.' },
        isProved: true,
      }),
      pay_holder: setting('payment_instructions.account_holder', text, {
        word: paymentInstructionWords.account_holder,
        isProved: true,
      }),
      pay_iban: setting('payment_instructions.iban', text, {
        word: { he: 'IBAN (לא חובה)', en: 'IBAN (optional)' },
        refused: {
          he: 'ה-IBAN אינו תקין: ספרות הביקורת אינן מתאימות.',
          en: 'This is no valid IBAN: its check digits do not match.',
        },
        isProved: true,
      }),
      pay_link: setting('payment_instructions.link', text, {
        word: { he: 'קישור לתשלום מקוון', en: 'Payment link' },
        hint: {
          he: 'דף תשלום שלך, לדוגמה של ביט או של חברת סליקה. רק כתובת שמתחילה ב-https://',
          en: 'A payment page of yours. Only an address that begins with https://',
        },
        type: 'url',
        refused: {
          he: 'כתובת שמתחילה ב-https://, בלי רווחים ובלי שם משתמש.',
          en: 'An address that begins with https://, without spaces or a user name.',
        },
        isProved: true,
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
  numbers: {
    title: { he: 'המספר הראשון בכל סוג מסמך', en: 'First number of each type' },
    fields: firstNumbers(),
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
