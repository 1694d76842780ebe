import { documentTypes, modes } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { defineContract, defineEvent } from '../define.js';
import { SignedEnd } from '../issuing/chain.js';
import { Business } from '../schema/business.js';
import { IssuedDocument } from '../schema/document.js';
import { CalendarDate, Instant, Money, Nullable, Strict, Uuid } from '../schema/fields.js';
import { timeLimitsMs } from '../time-limits.js';
import { Sha256 } from '../trail.js';

/** Renders, signs and stores the first PDF of a document that is being issued. */
export const renderArtifact = defineContract('rendering.artifact.render', {
  request: Strict({
    document: IssuedDocument,
    business: Business,
    /** Counts the requests for this document, which may differ in its number: only a PDF of an earlier one is replaced. */
    attempt: Type.Integer({ minimum: 1 }),
    /** Whether a number of the tax authority is being obtained. Absent, of an earlier release: by the document and the business. */
    number_pending: Type.Optional(Type.Boolean()),
  }),
  reply: Strict({
    revision: Type.Integer({ minimum: 1 }),
    /** Hex. */
    sha256: Type.String(),
    size_bytes: Type.Integer(),
    render_ms: Type.Number(),
    sign_ms: Type.Number(),
  }),
  errors: ['document_generation_failed'],
  timeoutMs: timeLimitsMs.renderArtifact,
});

/** One signed PDF of a document. */
const SignedPdf = Strict({
  revision: Type.Integer({ minimum: 1 }),
  /** Hex. */
  sha256: Type.String(),
  /** Base64. */
  pdf: Type.String(),
  /** Whether it states that its document is cancelled. */
  cancelled: Type.Boolean(),
  /** The number of the tax authority that it shows: an allocation number, or that of a donation report. */
  allocation_number: Nullable(Type.String()),
  /** Whether it states that the report of its donation was cancelled. Absent: it does not. */
  report_cancelled: Type.Optional(Type.Boolean()),
  /** Whether it states that no input VAT is deducted by it. Absent: it does not. */
  not_deductible: Type.Optional(Type.Boolean()),
});

const bookHash = {
  /** Of the first PDF, as the book has it. Where another is stored, none is returned: the call fails. */
  artifact_sha256: Type.Optional(Sha256),
};

/** A signed PDF of a document, by default the latest. */
export const getArtifact = defineContract('rendering.artifact.get', {
  request: Strict({
    business_id: Uuid,
    document_id: Uuid,
    /** The hashes of PDFs that the caller has: where the one to return is one of them, `pdf` is empty. */
    known_sha256: Type.Optional(Type.Array(Type.String({ pattern: '^[0-9a-f]{64}$' }), { maxItems: 10 })),
    /** That revision instead of the latest. */
    revision: Type.Optional(Type.Integer({ minimum: 1 })),
    ...bookHash,
  }),
  reply: SignedPdf,
  /** No PDF is stored of the document, or not that revision. */
  errors: ['not_found'],
});

/** All revisions of a document's PDF, the first one first, without their bytes. */
export const listArtifacts = defineContract('rendering.artifact.list', {
  request: Strict({ business_id: Uuid, document_id: Uuid }),
  reply: Strict({
    revisions: Type.Array(
      Strict({
        revision: Type.Integer({ minimum: 1 }),
        /** Hex. */
        sha256: Type.String(),
        size_bytes: Type.Integer({ minimum: 1 }),
        made_at: Instant,
        /** Whether it states 'original', and not 'copy'. */
        original: Type.Boolean(),
        /** The number that it shows. */
        allocation_number: Nullable(Type.String()),
        /** Whether it states that its document is cancelled. */
        cancelled: Type.Boolean(),
        /** Whether it states that no input VAT is deducted by it. Absent: it does not. */
        not_deductible: Type.Optional(Type.Boolean()),
      }),
    ),
  }),
});

/**
 * The latest signed PDF of a document, for a message to the customer. From this call on it counts as released: every later
 * revision is a copy.
 */
export const releaseArtifact = defineContract('rendering.artifact.release', {
  request: Strict({ business_id: Uuid, document_id: Uuid, ...bookHash }),
  reply: SignedPdf,
  errors: ['not_found'],
});

/** The signed PDF of a cancelled document that says so; made where there is none yet. */
export const cancelArtifact = defineContract('rendering.artifact.cancel', {
  request: Strict({
    document: IssuedDocument,
    business: Business,
    cancelled_at: Instant,
    reason: Type.Optional(Type.String()),
  }),
  reply: SignedPdf,
  errors: ['not_found', 'document_generation_failed'],
  timeoutMs: timeLimitsMs.renderArtifact,
});

/** The signed PDF that shows the tax authority's number of its document, for an invoice or a donation; made where there is none yet. */
export const numberArtifact = defineContract('rendering.artifact.number', {
  request: Strict({ document: IssuedDocument, business: Business, allocation_number: Type.String() }),
  reply: SignedPdf,
  errors: ['not_found', 'document_generation_failed'],
  timeoutMs: timeLimitsMs.renderArtifact,
});

/**
 * The PDF that goes to the customer is final, for now: the first one, a new one with the allocation number, or one that does not
 * say any more that a number is being obtained.
 */
export const artifactRendered = defineEvent(
  'rendering.artifact.rendered',
  Strict({
    document_id: Uuid,
    business_id: Uuid,
    revision: Type.Integer({ minimum: 1 }),
    sha256: Type.String(),
    allocation_number: Nullable(Type.String()),
    /** Whether the revision states that its number is still being obtained. */
    allocation_pending: Type.Boolean(),
    /** Whether it states that the report of its donation was cancelled. Absent: it does not. */
    report_cancelled: Type.Optional(Type.Boolean()),
    /** Whether it states that no input VAT is deducted by it. Absent: it does not. */
    not_deductible: Type.Optional(Type.Boolean()),
  }),
);

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

/** How a stored PDF can be wrong. */
export const artifactFindings = [
  /** There is no PDF at all, or the file of a revision is not in the object store. */
  'missing',
  /** The revisions are not 1, 2, 3 and so on. */
  'revisions',
  /** The bytes do not have the hash that was stored with them. */
  'hash',
  /** The first revision is not the one that the book names. */
  'book_hash',
  /** The signature is not there, not valid, or not over the complete file. */
  'signature',
  /** It is the PDF of another document: another type, number or total. */
  'content',
  /** Its allocation number is not the book's. */
  'allocation_number',
  /** It states that the document is cancelled, and the book does not. */
  'cancelled',
] as const;
export type ArtifactFinding = (typeof artifactFindings)[number];

/** Work on a PDF that is not done yet. */
export const pendingArtifactWork = [
  /** No revision is published to the customer. */
  'final',
  /** No revision has the allocation number. */
  'allocation_number',
  /** No revision shows the cancellation. */
  'cancelled',
  /** No revision shows that the report of its donation was cancelled. */
  'report_cancelled',
] as const;
export type PendingArtifactWork = (typeof pendingArtifactWork)[number];

/** Verifies every stored revision of some documents: hash, signature and text. */
export const auditArtifacts = defineContract('rendering.artifact.audit', {
  request: Strict({
    business_id: Uuid,
    /** The facts of the documents as the book has them. */
    documents: Type.Array(
      Strict({
        document_id: Uuid,
        type: Type.Enum([...documentTypes]),
        number: Type.Integer(),
        /** ILS */
        total: Money,
        /** Whether it shows no prices, and so no total. Absent: it does. */
        without_prices: Type.Optional(Type.Boolean()),
        allocation_number: Nullable(Type.String()),
        cancelled_at: Nullable(Instant),
        /** Whether the report of its donation was cancelled. Absent: it was not. */
        report_cancelled: Type.Optional(Type.Boolean()),
        /** Hex: the first revision's. */
        artifact_sha256: Type.String(),
      }),
      { minItems: 1, maxItems: 20 },
    ),
  }),
  reply: Strict({
    /** In the order of the request. */
    documents: Type.Array(
      Strict({
        document_id: Uuid,
        /** How many revisions there are. */
        revisions: Type.Integer({ minimum: 0 }),
        findings: Type.Array(
          Strict({
            finding: Type.Enum([...artifactFindings]),
            /** A clause, lower case, without a full stop. */
            message: Type.String(),
          }),
        ),
        /** Work on the PDF that is not done yet. */
        pending: Type.Array(Type.Enum([...pendingArtifactWork])),
      }),
    ),
  }),
  // Extracting the text of a long PDF takes tens of milliseconds, and the service also renders documents.
  timeoutMs: timeLimitsMs.auditArtifacts,
});

/** A PDF in the object store that is in no row: of a document that a restore has lost, or of one that was never issued. */
export const LostArtifact = Strict({
  business_id: Uuid,
  document_id: Uuid,
  /** The day on which it was made. */
  day: CalendarDate,
  object_key: Type.String(),
  modified_at: Instant,
});
export type LostArtifact = Static<typeof LostArtifact>;

/** Lists PDFs of all books in the object store that are in no row, a page of the store at a time. Only what was listed is ever deleted. */
export const listLostArtifacts = defineContract('rendering.artifact.list_lost', {
  request: Strict({
    /** Those behind a key, which begins with the day; empty: from the beginning. */
    after: Type.String(),
  }),
  reply: Strict({
    files: Type.Array(LostArtifact),
    /** For the next call; null: this was the last. */
    next: Nullable(Type.String()),
  }),
  /** `engine_error`: the object store does not answer. `validation_error`: there is none. */
  errors: ['validation_error'],
  timeoutMs: timeLimitsMs.operatorCall,
});

/** A revision of a document's PDF, as a place in the order of all of them. */
const ArtifactCursor = Strict({
  business_id: Uuid,
  document_id: Uuid,
  revision: Type.Integer({ minimum: 1 }),
});
export type ArtifactCursor = Static<typeof ArtifactCursor>;

/** The place where files are stored. */
export const artifactPlaces = ['database', 'store'] as const;

/** Moves the next files of all books to a place; those that are there stay. */
export const moveArtifacts = defineContract('rendering.artifact.move', {
  request: Strict({
    to: Type.Enum([...artifactPlaces]),
    /** The end of the call before; null: from the beginning. */
    after: Nullable(ArtifactCursor),
    /** How many files are moved at most. */
    files: Type.Integer({ minimum: 1, maximum: 1_000 }),
  }),
  reply: Strict({
    moved: Type.Integer({ minimum: 0 }),
    bytes: Type.Integer({ minimum: 0 }),
    /** Files that stay where they are, since they are not what was signed. */
    failed: Type.Array(Strict({ ...ArtifactCursor.properties, message: Type.String() })),
    /** For the next call; null: this was the last. */
    next: Nullable(ArtifactCursor),
    /** The store of the files of new documents. */
    new_files: Type.Enum([...artifactPlaces]),
  }),
  /** `engine_error`: the object store does not answer. */
  errors: ['validation_error'],
  timeoutMs: timeLimitsMs.operatorCall,
});
