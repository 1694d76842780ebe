import Type from 'typebox';
import { defineContract } from '../define.js';
import { Business, BusinessChange } from '../schema/business.js';
import { Nullable, PersonId, Strict, Uuid } from '../schema/fields.js';
import { timeLimitsMs } from '../time-limits.js';

const BusinessReply = Strict({ business: Business });

export const createBusiness = defineContract('gateway.business.create', {
  request: Strict({ business: BusinessChange }),
  reply: BusinessReply,
  errors: ['validation_error'],
  unknownMembers: 'refused',
  timeoutMs: timeLimitsMs.saveBusiness,
});

/** Differs when any setting differs; opaque to callers. */
const SettingsVersion = Type.String({ pattern: '^[0-9a-f]{64}$' });

export const updateBusiness = defineContract('gateway.business.update', {
  request: Strict({
    business_id: Uuid,
    change: BusinessChange,
    /** The `settings_version` on which the change is based; where they have another by now, `validation_error` at this path. */
    expected_version: Type.Optional(SettingsVersion),
    person_id: PersonId,
  }),
  reply: BusinessReply,
  errors: ['validation_error', 'not_found'],
  unknownMembers: 'refused',
  timeoutMs: timeLimitsMs.saveBusiness,
});

export const showBusiness = defineContract('gateway.business.show', {
  request: Strict({ business_id: Uuid }),
  reply: Strict({
    ...BusinessReply.properties,
    settings_version: SettingsVersion,
    /** What the public id of a document follows in the address of its page, and of its PDF. */
    view_url_base: Type.String(),
    pdf_url_base: Type.String(),
    /** False while the kill switch is on. */
    api_enabled: Type.Boolean(),
  }),
  errors: ['not_found'],
});

/** Stores in the settings that callers want the events of a business; nothing where they do already. */
export const startEvents = defineContract('gateway.business.start_events', {
  request: Strict({
    business_id: Uuid,
    person_id: PersonId,
  }),
  reply: BusinessReply,
  errors: ['not_found'],
});

/** Stores in the settings that a business is connected to the tax authority, if allocation still has its connection. */
export const markConnected = defineContract('gateway.business.mark_connected', {
  request: Strict({ business_id: Uuid, person_id: PersonId }),
  /** False: it was disconnected in the meantime. */
  reply: Strict({ connected: Type.Boolean() }),
  errors: ['validation_error', 'not_found'],
  timeoutMs: timeLimitsMs.saveBusiness,
});

export const listBusinesses = defineContract('gateway.business.list', {
  request: Strict({ after: Type.Optional(Uuid) }),
  reply: Strict({
    businesses: Type.Array(Business),
    /** The `after` of the next page; null on the last one. */
    next_after: Nullable(Uuid),
  }),
});
