import Type, { type Static } from 'typebox';
import { defineContract } from '../define.js';
import { Instant, Nullable, Strict } from '../schema/fields.js';
import { timeLimitsMs } from '../time-limits.js';

/** Signs the ends of the chains of all services that have moved, and stores them. */
export const signHeads = defineContract('rendering.heads.sign', {
  request: Strict({}),
  reply: Strict({
    /** How many chains there are, and how many of them have moved since they were stated: these are stated now. */
    chains: Type.Integer({ minimum: 0 }),
    heads: Type.Integer({ minimum: 0 }),
    statements: Type.Integer({ minimum: 0 }),
  }),
  timeoutMs: timeLimitsMs.operatorCall,
});

/** Ends of chains that were signed together: of those that had moved since the statements before. */
export const SignedHeads = Strict({
  /** Canonical JSON: `n`, `at`, `previous` (the SHA-256 of the statement before it, null for the first) and `heads`. */
  statement: Type.String(),
  /** CMS signed data without its content, in base64. */
  signature: Type.String(),
  /** Of the certificate that signed. */
  certificate_sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
export type SignedHeads = Static<typeof SignedHeads>;

/** As many statements are read and checked at once at most, and fewer where they are large. */
export const signedHeadsPageMax = 100;

/** The statements behind a number, as they are stored. */
export const readHeads = defineContract('rendering.heads.read', {
  request: Strict({ after: Type.Integer({ minimum: 0 }) }),
  /** Empty: there is none behind it. */
  reply: Strict({ signed: Type.Array(Strict({ n: Type.Integer(), ...SignedHeads.properties })) }),
});

/** How rendering comes to know a certificate: from its settings, by what it stored when it signed, or not at all. */
export const headsCertificateOrigins = ['configured', 'stored', 'unknown'] as const;

/** The result of checking one statement. */
export const CheckedHeads = Strict({
  /** Half a sentence; null: the signature is valid, and so is the time-stamp where there is one. */
  finding: Nullable(Type.String()),
  /** Whether rendering has signed with the certificate. */
  certificate: Type.Enum([...headsCertificateOrigins]),
  /** Null where there is none, or a finding. */
  timestamp: Nullable(
    Strict({
      at: Instant,
      /** SHA-256, in hex, of the certificate of the time-stamp authority and of those above it that the time-stamp has. */
      certificates: Type.Array(Type.String()),
      /** Whether rendering had a time-stamp of that certificate when it signed. */
      known: Type.Boolean(),
    }),
  ),
});
export type CheckedHeads = Static<typeof CheckedHeads>;

/** Verifies the signatures of statements and their time-stamps, wherever they were kept. */
export const checkHeads = defineContract('rendering.heads.check', {
  request: Strict({ statements: Type.Array(SignedHeads, { maxItems: signedHeadsPageMax }) }),
  /** In the order of the statements. */
  reply: Strict({ checked: Type.Array(CheckedHeads) }),
  timeoutMs: timeLimitsMs.operatorCall,
});
