import type { ApiError } from '@pinkas/service-kit';
import {
  checkbox,
  choice,
  type FieldErrors,
  type FieldKind,
  type FieldRule,
  type FormField,
  field,
  fieldErrors,
  type Language,
  lengthErrors,
  type Markup,
  moneyField,
  readField,
  textarea,
  type Words,
} from '@pinkas/ui';

/** A field of a form, declared once: how it is shown and read, and what the page states where the contract refuses it. */
export interface FieldSpec {
  readonly word: Words;
  readonly hint?: Words;
  /** `area`: several lines. `money`: an amount in ILS. `box`: the value is `yes` where it is ticked, else empty. */
  readonly type?: FormField['type'] | 'area' | 'money' | 'box';
  /** The values to choose from; then it has no type. */
  readonly options?: Readonly<Record<string, Words>>;
  readonly refused?: Words;
  /** Where the contract has it, if not at its name: `auto_send.channel`. */
  readonly at?: string;
  readonly more?: Pick<FormField, 'required' | 'autocomplete' | 'min' | 'max' | 'accept'> & {
    readonly rows?: number;
  };
}

/** The fields of a form by their names. */
export type FieldSpecs<Name extends string = string> = Readonly<Record<Name, FieldSpec>>;
/** What fields hold, as it is typed. */
export type Values<Name extends string = string> = Readonly<Record<Name, string>>;

const kinds: Readonly<Partial<Record<string, FieldKind>>> = { email: 'email', tel: 'phone', area: 'text' };
/** What is written from left to right in every language. */
const figures: readonly (string | undefined)[] = ['email', 'tel', 'number', 'time', 'url'];

/** What was typed into the fields of a form that was sent. */
export function readFields<Name extends string>(specs: FieldSpecs<Name>, form: URLSearchParams) {
  const read = Object.entries<FieldSpec>(specs).map(([name, { type = 'text' }]) => [
    name,
    readField(form, name, kinds[type]),
  ]);
  return Object.fromEntries(read) as Record<Name, string>;
}

/** A field with what it holds, and with what is wrong with that. */
export function fieldInput(
  name: string,
  { word, hint, type, options, more }: FieldSpec,
  given: {
    readonly values: Partial<Values>;
    readonly errors: Readonly<Partial<Record<string, string>>>;
    readonly language: Language;
  },
): Markup {
  const { values, errors, language } = given;
  const value = values[name] ?? '';
  const parts = { name, label: word[language], hint: hint?.[language], error: errors[name], ...more };
  if (options) {
    const choices = Object.entries(options).map(([each, text]) => [each, text[language]] as const);
    return choice({ ...parts, value, options: choices });
  }
  switch (type) {
    case 'box':
      return checkbox({ name, label: word[language], checked: value === 'yes' });
    case 'area':
      return textarea({ ...parts, value });
    case 'money':
      return moneyField({ ...parts, value });
    default:
      return field({ ...parts, value, type: type ?? 'text', ltr: figures.includes(type) });
  }
}

/** What the page states of each field. */
export const rulesOf = (specs: FieldSpecs): FieldRule[] =>
  Object.entries(specs).map(([name, { at = name, refused }]) => ({
    path: `/${at.replaceAll('.', '/')}`,
    field: name,
    ...(refused && { text: refused }),
  }));

/**
 * What is wrong with the fields of a form that a contract has refused.
 * @param given.below what the contract calls that which the form fills in, for example `/change`.
 * @param given.limits how long texts may be, by the names of their fields.
 */
export function refusedFields(
  specs: FieldSpecs,
  error: ApiError,
  given: {
    readonly language: Language;
    readonly below?: string;
    readonly values: Values;
    readonly limits: Readonly<Record<string, number>>;
  },
): FieldErrors {
  const { language, below = '', values, limits } = given;
  return {
    ...fieldErrors(error.details, { language, below, rules: rulesOf(specs) }),
    ...lengthErrors(values, limits, language),
  };
}
