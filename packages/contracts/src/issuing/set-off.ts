import Type, { type Static } from 'typebox';
import { defineContract } from '../define.js';
import { Instant, Money, PersonId, Strict, Uuid } from '../schema/fields.js';

/** What is set against a document that has something left to pay, of the money that its customer has on account, ILS. */
export const SetOffAmount = Strict({ document_id: Uuid, amount: Money });
export type SetOffAmount = Static<typeof SetOffAmount>;

/** How many documents one act sets off against. */
export const setOffDocumentsMax = 100;
export const SetOffAmounts = Type.Array(SetOffAmount, { minItems: 1, maxItems: setOffDocumentsMax });

/**
 * Sets money that a customer has on account against documents, all of them or none. Balances change, and no document does. A repeated
 * call with the same `set_off_id` sets off once.
 */
export const addSetOff = defineContract('issuing.set_off.add', {
  request: Strict({
    business_id: Uuid,
    customer_id: Uuid,
    /** The id of the act, chosen by the caller. */
    set_off_id: Uuid,
    amounts: SetOffAmounts,
    person_id: PersonId,
  }),
  reply: Strict({
    /** ILS: what is left on account afterwards. */
    on_account: Money,
  }),
  /**
   * `validation_error` at `/amounts`: a document is not on the account, or an amount is more than what is left to pay of it, or together
   * more than what is on account; at `/set_off_id`: it is the id of another act.
   */
  errors: ['validation_error'],
  isRepeatable: true,
});

/** Removes what an act has set against a document: it is on account again. */
export const removeSetOff = defineContract('issuing.set_off.remove', {
  request: Strict({ business_id: Uuid, set_off_id: Uuid, document_id: Uuid, person_id: PersonId }),
  reply: Strict({}),
  /** `not_found` also where it was removed before. */
  errors: ['not_found'],
});

/** An amount that an act has set against a document. */
export const SetOff = Strict({
  set_off_id: Uuid,
  /** ILS. */
  amount: Money,
  set_at: Instant,
});
export type SetOff = Static<typeof SetOff>;
