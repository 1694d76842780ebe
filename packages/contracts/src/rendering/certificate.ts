import Type from 'typebox';
import { defineContract } from '../define.js';
import { Instant, Strict, Uuid } from '../schema/fields.js';

/** The certificate that signs the documents of a business; for the id of a test book, the one that signs those of test books. */
export const showSigningCertificate = defineContract('rendering.certificate.show', {
  request: Strict({ business_id: Uuid }),
  reply: Strict({
    /** The common name of its subject. */
    subject: Type.String(),
    not_after: Instant,
    /** Whether it is the business's own, and not the platform's. */
    own: Type.Boolean(),
  }),
  /** `not_found`: there is no certificate for test books, and none of their documents is issued. */
  errors: ['not_found'],
});
