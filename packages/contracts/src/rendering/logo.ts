import Type from 'typebox';
import { defineContract } from '../define.js';
import { LogoRef } from '../schema/business.js';
import { Strict, Uuid } from '../schema/fields.js';
import { timeLimitsMs } from '../time-limits.js';

/** Rasterizes the logo of a business and stores it. The same file again has the same reference. */
export const storeLogo = defineContract('rendering.logo.store', {
  request: Strict({
    business_id: Uuid,
    /** `data:image/png;base64,…` or `data:image/svg+xml;base64,…` */
    logo: Type.String({ maxLength: 100_000 }),
    /** Whether it is kept for an hour only, to be looked at before it is saved. */
    preview: Type.Optional(Type.Boolean()),
  }),
  reply: LogoRef,
  errors: ['validation_error'],
  timeoutMs: timeLimitsMs.storeLogo,
});

/** A stored logo, for a message that shows it. */
export const getLogo = defineContract('rendering.logo.get', {
  request: Strict({ business_id: Uuid, logo: LogoRef }),
  reply: Strict({
    /** Base64. */
    png: Type.String(),
    /** In pixels. */
    width: Type.Number(),
    height: Type.Number(),
  }),
  errors: ['not_found'],
});
