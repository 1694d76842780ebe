import { customerLegalTypes } from '@pinkas/domain';
import Type, { type TSchema } from 'typebox';
import { annotated, EmailAddress, Nullable, PhoneNumber } from './fields.js';

type Words = Readonly<Record<'he' | 'en', string>>;

/** A detail of a customer other than the name. */
export interface CustomerMember {
  /** Of a value that is stated. A card and a document have a text, or null. */
  readonly schema: TSchema;
  /** For the reference, in the words of JSON Schema. */
  readonly published?: { readonly description: string; readonly examples?: readonly string[] };
  readonly word: Words;
  /** How a form reads it; a text is of either direction. Absent: it is chosen from a list. */
  readonly kind?: 'text' | 'tax_id' | 'email' | 'tel';
  /** What a form states of a value that the contract refuses. */
  readonly refused?: Words;
  /** A search returns it. */
  readonly listed?: true;
  /** A person may correct it on the card. What is fixed is as the documents have it. */
  readonly corrected?: true;
  /** It is in no line of a log. */
  readonly personal?: true;
  /** Documents and messages from before it lack it; it is left out where it has no value, and is at the end of a CSV. */
  readonly added?: true;
}

/**
 * The details of a customer. The request, the snapshot of a document, the card, the trail, the CSV, the redactions of logs and the
 * forms of the console follow from them.
 */
export const customerMembers = {
  tax_id: {
    schema: Type.String({ pattern: '^\\d{5,9}$' }),
    published: {
      description:
        'Identity, company or dealer number, 5 to 9 digits; the check digit is verified (`invalid_customer_tax_id`). An allocation number needs it.',
      examples: ['777777715'],
    },
    word: { he: 'ח.פ. / ת.ז.', en: 'Tax id' },
    kind: 'tax_id',
    refused: {
      he: 'המספר אינו תקין: ספרת הביקורת אינה מתאימה.',
      en: 'The number is not valid: its check digit does not match.',
    },
    listed: true,
    personal: true,
  },
  legal_type: {
    schema: Type.Enum([...customerLegalTypes]),
    published: { description: 'What the customer is to the tax authority.' },
    word: { he: 'סוג', en: 'Legal type' },
    listed: true,
  },
  email: {
    schema: EmailAddress,
    published: {
      description:
        'Where the document is sent when the business sends by e-mail. What is accepted can be sent to: a local part without quotes of at most 64 octets, and a domain of at least two labels, which may be an internationalized one (`דוגמה.example`); an IP address is none.',
    },
    word: { he: 'אימייל', en: 'Email' },
    kind: 'email',
    refused: { he: 'כתובת האימייל אינה תקינה.', en: 'This is no valid email address.' },
    listed: true,
    corrected: true,
    personal: true,
  },
  phone: {
    schema: PhoneNumber,
    published: {
      description:
        'An optional `+`, then 7 to 20 digits, hyphens or spaces. Where the document is sent when the business sends by WhatsApp. An Israeli mobile number may lack its 0, and have 972 without +. Another that begins with neither 0 nor +, or has fewer than seven digits, is kept, and nothing is sent to it (`phone_unusable` in a preview).',
    },
    word: { he: 'טלפון', en: 'Phone' },
    kind: 'tel',
    refused: {
      he: '7 עד 20 ספרות, מקפים או רווחים, ובהתחלה אפשר +.',
      en: '7 to 20 digits, hyphens or spaces, with a + before them if you like.',
    },
    listed: true,
    corrected: true,
    personal: true,
  },
  address: {
    schema: Type.String({ maxLength: 200 }),
    published: { description: 'Street and house number.' },
    word: { he: 'כתובת', en: 'Address' },
    kind: 'text',
    corrected: true,
  },
  city: {
    schema: Type.String({ maxLength: 80 }),
    word: { he: 'עיר', en: 'City' },
    kind: 'text',
    listed: true,
    corrected: true,
  },
} as const satisfies Readonly<Record<string, CustomerMember>>;

type Members = typeof customerMembers;
export type CustomerDetail = keyof Members;
/** The details that have a property in the table. */
type With<Property extends keyof CustomerMember> = {
  [D in CustomerDetail]: Members[D] extends Readonly<Record<Property, unknown>> ? D : never;
}[CustomerDetail];
export type TypedDetail = With<'kind'>;
export type ContactDetail = With<'corrected'>;

const memberOf = (detail: CustomerDetail): CustomerMember => customerMembers[detail];
export const customerDetails = Object.keys(customerMembers) as readonly CustomerDetail[];
const having = <Property extends keyof CustomerMember>(property: Property) =>
  customerDetails.filter((detail): detail is With<Property> => memberOf(detail)[property] !== undefined);

/** The details that forms take as text. */
export const typedDetails: readonly TypedDetail[] = having('kind');
export const listedDetails = having('listed');
/** The details that a person corrects. */
export const contactDetails: readonly ContactDetail[] = having('corrected');
export const personalDetails: readonly CustomerDetail[] = having('personal');
/** Whether documents and messages from before it lack it. */
export const isAdded = (detail: CustomerDetail): boolean => memberOf(detail).added === true;
/** The details that every document and message has. */
export const firstDetails = customerDetails.filter((detail) => !isAdded(detail));

/** A member for each of some details. */
export const perDetail = <D extends CustomerDetail, T>(details: readonly D[], of: (detail: D) => T) =>
  Object.fromEntries(details.map((detail) => [detail, of(detail)])) as Record<D, T>;

type OrNull<D extends CustomerDetail> = Type.TUnion<[Members[D]['schema'], Type.TNull]>;
type Stored<D extends CustomerDetail> = {
  [K in D]: Members[K] extends { readonly added: true } ? Type.TOptional<OrNull<K>> : OrNull<K>;
};

function storedSchema({ schema, added }: CustomerMember): TSchema {
  const stored = Nullable('enum' in schema ? schema : Type.String());
  return added ? Type.Optional(stored) : stored;
}

/** A form that leaves a text out sends nothing. */
function typedSchema({ schema }: CustomerMember): TSchema {
  return 'maxLength' in schema && !('format' in schema)
    ? Type.String({ minLength: 1, maxLength: Number(schema.maxLength) })
    : schema;
}

/** As a request of the HTTP API has them. */
export const inputDetails = perDetail(customerDetails, (detail) => {
  const { schema, published } = memberOf(detail);
  return Type.Optional(annotated(schema, published ?? {}));
}) as unknown as { [D in CustomerDetail]: Type.TOptional<Members[D]['schema']> };
/** As a new card is given them. */
export const newCardDetails = perDetail(customerDetails, (detail) =>
  Type.Optional(typedSchema(memberOf(detail))),
) as unknown as typeof inputDetails;
/** As a card is corrected; null removes one. */
export const correctedDetails = perDetail(contactDetails, (detail) =>
  Type.Optional(Nullable(typedSchema(memberOf(detail)))),
) as unknown as { [D in ContactDetail]: Type.TOptional<OrNull<D>> };
/** As a card and a document have them. */
export const storedDetails = perDetail(customerDetails, (detail) =>
  storedSchema(memberOf(detail)),
) as unknown as Stored<CustomerDetail>;
/** As a search returns them. */
export const searchedDetails = perDetail(listedDetails, (detail) => storedDetails[detail]) as Stored<
  With<'listed'>
>;
