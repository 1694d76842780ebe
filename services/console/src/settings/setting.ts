import type { Business, BusinessChange, PaymentInstructions } from '@pinkas/contracts';
import { defaultAccent } from '@pinkas/ui';
import type { FieldSpec, Values } from '../frame/form-fields.js';

/** Where a setting is, in a business and in a change of one. */
type SettingPath =
  | keyof BusinessChange
  | `auto_send.${keyof Business['auto_send']}`
  | `accountant_copy.${keyof Business['accountant_copy']}`
  | `payment_instructions.${keyof PaymentInstructions}`
  | `first_numbers.${keyof Business['first_numbers']}`;

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
  /** Where emails or the money of the business go, or its first numbers: a change needs a fresh proof. */
  readonly isProved?: boolean;
}

/** The value of a member, or of a member of a member, where it has one. */
const valueAt = (path: string, business: object): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], business);

/** A setting at a place of the business, read and written by its codec. */
export function setting<const Path extends SettingPath>(
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

export const orNull = (typed: string) => (typed === '' ? null : typed);

export const required: Codec<string, string> = { shown: (value) => value, stored: (typed) => typed };
/** An emptied text is removed. */
export const text: Codec<string | null | undefined, string | null> = {
  shown: (value) => value ?? '',
  stored: orNull,
};
export const flag: Codec<boolean, boolean> = {
  shown: (value) => (value ? 'yes' : ''),
  stored: (typed) => typed === 'yes',
};
/** What is no whole number is refused by the contract. */
export const integer: Codec<number, number> = {
  shown: String,
  stored: (typed) => (/^\d{1,6}$/.test(typed) ? Number(typed) : -1),
};
/** Nothing typed: not set. */
export const optionalInteger: Codec<number | undefined, number | null> = {
  shown: (value) => (value === undefined ? '' : String(value)),
  stored: (typed) => (typed === '' ? null : (integer.stored?.(typed, {}) ?? null)),
};
export const optionalFlag: Codec<boolean | undefined, boolean> = {
  shown: (value) => (value === true ? 'yes' : ''),
  stored: (typed) => typed === 'yes',
};
/** Nothing typed: it stays. */
export const firstNumber: Codec<number | undefined, number | undefined> = {
  shown: (value) => (value === undefined ? '' : String(value)),
  stored: (typed) => (typed === '' ? undefined : Number(/^\d{1,9}$/.exec(typed)?.[0] ?? 0)),
};
export const color: Codec<string | undefined, string | null> = {
  shown: (value) => value ?? defaultAccent,
  stored: (typed) => (typed === defaultAccent ? null : orNull(typed)),
};
export const times = (hours: string | null) => (hours ?? '').split('-');

/** One of the values that a field offers, the first where it is none of them. */
export function oneOf<const Value extends string>(
  ...[first, ...others]: readonly [Value, ...Value[]]
): Codec<Value, Value> {
  return {
    shown: (value) => value,
    stored: (typed) => [first, ...others].find((value) => value === typed) ?? first,
  };
}
