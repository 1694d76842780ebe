import { documentTypes } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import type { ErrorCode, errorCatalogue } from '../errors.js';
import { Address, CalendarDate, described, Money, Strict, Uuid } from './fields.js';
import { validationErrorsMax } from './validate.js';

/** Every member that `error.details` can have; the catalogue states which code carries which. */
export const errorDetailFields = {
  payment_url: described(Address, 'Where the subscription is renewed.'),
  errors: Type.Array(
    Strict({
      path: Type.String({
        description:
          'A JSON Pointer into the body, for example `/items/0/quantity`; `/query/<name>` for a query parameter, `/headers/<name>` for a header.',
      }),
      message: Type.String({ description: 'What is wrong there, in English.' }),
      message_he: Type.String({ description: 'The same in Hebrew.' }),
    }),
    {
      maxItems: validationErrorsMax,
      description: `Every error that was found, up to ${validationErrorsMax}.`,
    },
  ),
  existing_customer_id: described(Uuid, 'The customer whose card has the tax id.'),
  total: described(Money, 'ILS: the computed total, to which the payments must sum.'),
  allowed_source_types: Type.Array(Type.Enum([...documentTypes]), {
    description: 'What a document of this type may be based on.',
  }),
  computed_total: described(Money, 'ILS: what the document would come to.'),
  last_document_date: described(CalendarDate, 'The date of the last document of this type.'),
} as const;

/** A member that `error.details` can have. */
export type ErrorDetailMember = keyof typeof errorDetailFields;

/** What `error.details` holds for an error of this code. */
export type ErrorDetailsOf<Code extends ErrorCode> = {
  [Member in (typeof errorCatalogue)[Code]['details'][number] & ErrorDetailMember]: Static<
    (typeof errorDetailFields)[Member]
  >;
};
