import { visibleLength } from '@pinkas/domain';
import type { TSchema } from 'typebox';

/** The schema keywords that decide whether a text may be empty. */
interface TextSchema {
  readonly type?: string;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
}

/** Whether the schema gives a text nothing but a maximum: an empty one is absent then, and is refused otherwise. */
const mayBeEmpty = ({ type, minLength, pattern, format, enum: values }: TextSchema): boolean =>
  type === 'string' && (minLength ?? pattern ?? format ?? values) === undefined;

/** A value without the members that are empty texts and may be; whatever does not match the schema stays as it is. */
export function withoutEmptyTexts<T>(schema: TSchema, value: T): T {
  const { properties, items } = schema as TextSchema;
  if (Array.isArray(value)) {
    return (items ? value.map((item: unknown) => withoutEmptyTexts(items, item)) : value) as T;
  }
  if (typeof value !== 'object' || value === null || !properties) {
    return value;
  }
  const isAbsent = (member: string, text: unknown) =>
    typeof text === 'string' &&
    visibleLength(text) === 0 &&
    mayBeEmpty((properties[member] ?? {}) as TextSchema);
  const members = Object.entries(value)
    .filter(([member, text]) => !isAbsent(member, text))
    .map(([member, text]) => [member, withoutEmptyTexts(properties[member] ?? {}, text)]);
  return Object.fromEntries(members) as T;
}
