import Type from 'typebox';
import { defineContract } from '../define.js';
import { EmailAddress, Nullable, Strict, Uuid } from '../schema/fields.js';
import { timeLimitsMs } from '../time-limits.js';

/** Sends a message of the platform to a person: a link to sign in, an invitation. It is stored nowhere. */
export const sendNotice = defineContract('delivery.notice.send', {
  request: Strict({
    /** Becomes the Message-ID: a repeated call is the same message. */
    notice_id: Uuid,
    recipient: EmailAddress,
    subject: Type.String({ minLength: 1, maxLength: 200 }),
    text: Type.String({ minLength: 1, maxLength: 10_000 }),
    html: Type.String({ minLength: 1, maxLength: 40_000 }),
  }),
  reply: Strict({
    /** `rejected`: no attempt will succeed; `failed`: another may. */
    outcome: Type.Enum(['accepted', 'rejected', 'failed']),
    /** The answer of the mail server; null where it accepted. */
    reason: Nullable(Type.String()),
  }),
  timeoutMs: timeLimitsMs.sendNotice,
});
