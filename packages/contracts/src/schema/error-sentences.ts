import { defaultWalletLabels } from '@pinkas/domain';

/** The error of a value, in words that follow its path. */
export interface Sentence {
  readonly message: string;
  /** The same in Hebrew. */
  readonly message_he: string;
}

export const sentence = (message: string, message_he: string): Sentence => ({ message, message_he });

const number = (value: unknown) => Number(value).toLocaleString('en', { maximumFractionDigits: 20 });

/** The sentences of errors that more than one value can have. */
export const sentences = {
  required: sentence('is required', 'שדה חובה'),
  unknownField: sentence('is not a known field', 'שדה לא מוכר'),
  empty: sentence('must not be empty', 'אסור שיהיה ריק'),
  isNull: sentence(
    'must not be null: leave out an optional field that has no value',
    'אסור שיהיה null: שדה רשות בלי ערך יש להשמיט',
  ),
  oneOf: (values: readonly unknown[]) =>
    sentence(`must be one of ${values.join(', ')}`, `חייב להיות אחד מאלה: ${values.join(', ')}`),
  decimalsMax: (max: number) =>
    sentence(`must have at most ${max} decimals`, `מותרות לכל היותר ${max} ספרות אחרי הנקודה`),
  lengthMin: (min: unknown) =>
    min === 1
      ? sentences.empty
      : sentence(`must have at least ${min} characters`, `נדרשים לפחות ${min} תווים`),
  lengthMax: (max: unknown) =>
    sentence(`must have at most ${max} characters`, `מותרים לכל היותר ${max} תווים`),
  invalid: sentence('is not valid', 'ערך לא תקין'),
};

const wallets: Readonly<Record<string, { en: string }>> = defaultWalletLabels;
/** Who sends `bit` looks for the number of Bit. */
const withWallet = (value: unknown) => {
  const wallet = wallets[String(value)];
  return wallet === undefined ? value : `${value} (${wallet.en})`;
};

const types: Readonly<Record<string, Sentence>> = {
  string: sentence('must be a text', 'חייב להיות טקסט'),
  number: sentence('must be a number', 'חייב להיות מספר'),
  integer: sentence('must be a whole number', 'חייב להיות מספר שלם'),
  boolean: sentence('must be true or false', 'חייב להיות true או false'),
  object: sentence('must be an object', 'חייב להיות אובייקט'),
  array: sentence('must be a list', 'חייב להיות רשימה'),
  null: sentence('must be null', 'חייב להיות null'),
};

const calendarDate = sentence(
  'must be a date that exists, as YYYY-MM-DD',
  'חייב להיות תאריך קיים, בצורה YYYY-MM-DD',
);
const month = sentence('must be a month, as YYYY-MM', 'חייב להיות חודש, בצורה YYYY-MM');
const sha256 = sentence('must be a SHA-256 in lower-case hex', 'חייב להיות SHA-256');
const color = sentence('must be a color, as #rrggbb', 'חייב להיות צבע, בצורה ‎#rrggbb');

/** What a pattern or a format demands. A test names the ones of the schemas that are missing here. */
const forms: Readonly<Record<string, Sentence>> = {
  uuid: sentence('must be a UUID', 'חייב להיות UUID'),
  'calendar-date': calendarDate,
  email: sentence('must be an email address', 'חייב להיות כתובת אימייל'),
  'valid-check-digit': sentence('has a wrong check digit', 'ספרת הביקורת שגויה'),
  '^\\d{5,9}$': sentence('must be 5 to 9 digits', 'חייב להיות 5 עד 9 ספרות'),
  '^\\d{4}$': sentence('must be exactly 4 digits', 'חייב להיות 4 ספרות בדיוק'),
  '^\\d{1,4}$': sentence('must be 1 to 4 digits', 'חייב להיות 1 עד 4 ספרות'),
  '^\\d[\\d/-]{1,19}$': sentence(
    'must be 2 to 20 digits, slashes or hyphens, and begin with a digit',
    'חייב להיות 2 עד 20 ספרות, לוכסנים או מקפים, ולהתחיל בספרה',
  ),
  '^\\+?[\\d\\-\\s]{7,20}$': sentence(
    'must be an optional +, then 7 to 20 digits, hyphens or spaces',
    'חייב להיות 7 עד 20 ספרות, מקפים או רווחים, ולפניהם + או בלי',
  ),
  '^[A-Z]{2}$': sentence(
    'must be a country as two capital letters (ISO 3166-1)',
    'חייב להיות מדינה בשתי אותיות לועזיות גדולות (ISO 3166-1)',
  ),
  '^[A-Za-z0-9]{4,20}$': sentence(
    'must be 4 to 20 Latin letters and digits',
    'חייב להיות 4 עד 20 אותיות לועזיות וספרות',
  ),
  '^([01]\\d|2[0-3]):[0-5]\\d-([01]\\d|2[0-3]):[0-5]\\d$': sentence(
    'must be a range of hours, as HH:MM-HH:MM',
    'חייב להיות טווח שעות, בצורה HH:MM-HH:MM',
  ),
  '^[0-9/-]{1,20}$': sentence(
    'must be 1 to 20 digits, slashes or hyphens',
    'חייב להיות 1 עד 20 ספרות, לוכסנים או מקפים',
  ),
  '^[A-Za-z0-9._+-]+@([a-z0-9-]+\\.)+[a-z0-9-]+$': sentence(
    'must be an email address of ASCII letters, with the domain in lower case',
    'חייב להיות כתובת אימייל באותיות לועזיות, והמתחם באותיות קטנות',
  ),
  '^#[0-9a-f]{6}$': color,
  '^#[0-9a-fA-F]{6}$': color,
  '^[0-9a-f]{64}$': sha256,
  '^\\d{4}-(0[1-9]|1[0-2])$': month,
  '^[0-9]{4}-[0-9]{2}$': month,
  '^[a-z0-9-]{1,30}$': sentence(
    'must be 1 to 30 lower-case letters, digits or hyphens',
    'חייב להיות 1 עד 30 אותיות לועזיות קטנות, ספרות או מקפים',
  ),
  '^[A-Za-z0-9 .-]{1,100}$': sentence(
    'must be 1 to 100 Latin letters, digits, spaces, points or hyphens',
    'חייב להיות 1 עד 100 אותיות לועזיות, ספרות, רווחים, נקודות או מקפים',
  ),
  '^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$': sentence(
    'must be the id of a test book',
    'חייב להיות מזהה של ספר בדיקות',
  ),
  '^evt_[0-9a-f]{32}$': sentence('must be the id of an event', 'חייב להיות מזהה של אירוע'),
};

/** Whether a pattern or a format has a sentence of its own. */
export const hasSentence = (form: string): boolean => Object.hasOwn(forms, form);

/** What an error of a schema means, by its keyword: no pattern and no word of JSON Schema reaches a person. */
export function sentenceOf(keyword: string, params: Readonly<Record<string, unknown>>): Sentence {
  const { limit } = params;
  switch (keyword) {
    case 'type':
      return types[String(params.type)] ?? sentences.invalid;
    case 'pattern':
    case 'format':
      return forms[String(params[keyword])] ?? sentences.invalid;
    case 'enum':
      return sentences.oneOf((params.allowedValues as readonly unknown[]).map(withWallet));
    case 'const':
      return sentences.oneOf([params.allowedValue]);
    case 'minLength':
      return sentences.lengthMin(limit);
    case 'maxLength':
      return sentences.lengthMax(limit);
    case 'minItems':
      return limit === 1
        ? sentence('must have at least one entry', 'נדרשת לפחות רשומה אחת')
        : sentence(`must have at least ${limit} entries`, `נדרשות לפחות ${limit} רשומות`);
    case 'maxItems':
      return sentence(`must have at most ${limit} entries`, `מותרות לכל היותר ${limit} רשומות`);
    case 'uniqueItems':
      return sentence('must not have an entry twice', 'אסור שרשומה תופיע פעמיים');
    case 'minimum':
      return sentence(`must be at least ${number(limit)}`, `חייב להיות לפחות ${number(limit)}`);
    case 'maximum':
      return sentence(`must be at most ${number(limit)}`, `חייב להיות לכל היותר ${number(limit)}`);
    case 'exclusiveMinimum':
      return sentence(`must be above ${number(limit)}`, `חייב להיות גדול מ-${number(limit)}`);
    case 'multipleOf':
      return sentence(
        `must be a multiple of ${number(params.multipleOf)}`,
        `חייב להיות כפולה של ${number(params.multipleOf)}`,
      );
    default:
      return sentences.invalid;
  }
}
