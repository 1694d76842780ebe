import { modes } from '@pinkas/domain';
import Type from 'typebox';
import { Sha256 } from './audit.js';
import { defineContract } from './define.js';
import { SignedEnd } from './issuing-book.js';
import { Instant, Nullable, Strict, Uuid } from './schema/fields.js';

/** The most hashes of one file, and the most certificates in it, that are looked for. */
export const fileHashesMax = 8;
export const fileCertificatesMax = 16;

/** Finds the document whose stored PDF has one of these hashes, or the PDF of a document; and which certificates have signed here. */
export const findArtifact = defineContract('rendering.artifact.find', {
  request: Strict({
    /** The first one that is found counts. */
    sha256s: Type.Array(Sha256, { maxItems: fileHashesMax }),
    /** Its latest PDF, instead of the hashes. */
    document: Type.Optional(Strict({ business_id: Uuid, document_id: Uuid })),
    /** SHA-256, hex. */
    certificates: Type.Array(Sha256, { maxItems: fileCertificatesMax }),
  }),
  reply: Strict({
    found: Nullable(
      Strict({
        business_id: Uuid,
        document_id: Uuid,
        sha256: Sha256,
        revision: Type.Integer({ minimum: 1 }),
        latest_revision: Type.Integer({ minimum: 1 }),
        certificate_sha256: Sha256,
        /** Since when the certificate is revoked, as far as it is known. */
        revoked_at: Nullable(Instant),
        signed_ends: Type.Array(SignedEnd),
      }),
    ),
    /** Those that sign documents, or have signed statements. */
    known: Type.Array(Strict({ sha256: Sha256, mode: Type.Enum([...modes]), revoked_at: Nullable(Instant) })),
  }),
});
