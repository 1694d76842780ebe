import { isCalendarDate, isEmailAddress } from '@pinkas/domain';
import Type, { type Static, type TSchema } from 'typebox';
import Format from 'typebox/format';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID of any version. */
export function isUuid(value: string): boolean {
  return uuidPattern.test(value);
}

Format.Set('calendar-date', isCalendarDate);
Format.Set('email', isEmailAddress);
Format.Set('uuid', isUuid);

/*
 * `publicFormat`, `publicMinimum` and `publicDependentSchemas` are keywords of the OpenAPI document without `public`. Validation
 * does not know them: it checks the other keywords, decimals by the shortest form of the number, and members by rules.
 */

/** A UUID in lower or upper case. */
export const Uuid = Type.String({ format: 'uuid' });
/**
 * The person of the console who asks for a change, for the trail; absent: the operator. The console has checked that the person may.
 */
export const PersonId = Type.Optional(Uuid);
/** The id of a test book, in lower case: a live book, whose id has another version, is no value. */
export const TestBookId = Type.String({
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$',
});
/** A day in Asia/Jerusalem, YYYY-MM-DD. */
export const CalendarDate = Type.String({ format: 'calendar-date', publicFormat: 'date' });
/** A month, YYYY-MM. */
export const Month = Type.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$' });
/** An instant, ISO 8601 in UTC. */
export const Instant = Type.String({ minLength: 20, maxLength: 30, publicFormat: 'date-time' });
/** An email address that mail can be sent to, by the grammar that delivery sends by; its domain may be an internationalized one. */
export const EmailAddress = Type.String({ format: 'email', maxLength: 254 });
/** A phone number as people write it. One with fewer than seven digits is no address to send to. */
export const PhoneNumber = Type.String({ pattern: '^\\+?[\\d\\-\\s]{7,20}$' });
/** An absolute address. */
export const Address = Type.String({ publicFormat: 'uri' });
/** An amount in ILS with at most two decimals, as a JSON number. */
export const Money = Type.Number();

/** The same schema with annotations for the public reference. */
export function annotated<T extends TSchema>(schema: T, annotations: Readonly<Record<string, unknown>>): T {
  // TypeBox keeps what it knows of a schema in members that a spread would leave behind.
  return Object.create(Object.getPrototypeOf(schema), {
    ...Object.getOwnPropertyDescriptors(schema),
    ...Object.getOwnPropertyDescriptors(annotations),
  }) as T;
}

/** The same schema with a description: Markdown, with units and meaning. */
export const described = <T extends TSchema>(schema: T, description: string): T =>
  annotated(schema, { description });

/** A value or null. */
export const Nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

/** An object that refuses members that it does not name. */
export const Strict = <T extends Record<string, TSchema>>(properties: T, options: Type.TObjectOptions = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

export type { Static };
