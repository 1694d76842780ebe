import { documentTypes } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { Sha256 } from './audit.js';
import { defineContract, defineEvent } from './define.js';
import { Business, LogoRef } from './schema/business.js';
import { DocumentState, DraftDocument, IssuedDocument } from './schema/document.js';
import { Instant, Money, Nullable, Strict, TestBookId, Uuid } from './schema/fields.js';
import { timeLimitsMs } from './time-limits.js';

export * from './rendering-find.js';
export * from './rendering-lost.js';
export * from './rendering-move.js';

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
  /** Whether it says that its document is cancelled. */
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
        /** Whether it says 'original', and not 'copy'. */
        original: Type.Boolean(),
        /** The number that it shows. */
        allocation_number: Nullable(Type.String()),
        /** Whether it says that its document is cancelled. */
        cancelled: Type.Boolean(),
        /** Whether it states that no input VAT is deducted by it. Absent: it does not. */
        not_deductible: Type.Optional(Type.Boolean()),
      }),
    ),
  }),
});

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

/** Prints a report as PDF/UA-1 and PDF/A-2a. It is neither signed nor stored. */
export const printReport = defineContract('rendering.report.print', {
  request: Strict({
    /** Whose report it is: businesses take turns. */
    business_id: Type.Optional(Uuid),
    /** ASCII: the title of a page that has none of its own. */
    title: Type.String({ pattern: '^[A-Za-z0-9 .-]{1,100}$' }),
    /** A complete page, which names no other file; its `title`, `lang` and `meta` author become those of the PDF. */
    html: Type.String({ maxLength: 400_000 }),
  }),
  reply: Strict({
    /** Base64. */
    pdf: Type.String(),
  }),
  errors: ['document_generation_failed'],
  /** A report may have a hundred pages, and nothing waits for it but its reader. */
  timeoutMs: timeLimitsMs.operatorCall,
});

/** The hosted page of a document, as HTML. */
export const renderPage = defineContract('rendering.page.render', {
  request: Strict({
    document: IssuedDocument,
    state: DocumentState,
    business: Business,
    pdf_url: Type.String(),
    /** The language that the reader requested; without it, the language of the business. */
    language: Type.Optional(Type.Enum(['he', 'en'])),
    /** Where the file is checked; absent: the page has no link to it. */
    verify_url: Type.Optional(Type.String()),
  }),
  reply: Strict({ html: Type.String() }),
});

/** The sheet of a document that is not issued, as a page that states it: without a number, unsigned and stored nowhere. */
export const renderDraft = defineContract('rendering.draft.render', {
  request: Strict({ draft: DraftDocument, business: Business }),
  reply: Strict({ html: Type.String() }),
});

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
    /** Whether the revision says that its number is still being obtained. */
    allocation_pending: Type.Boolean(),
    /** Whether it states that the report of its donation was cancelled. Absent: it does not. */
    report_cancelled: Type.Optional(Type.Boolean()),
    /** Whether it states that no input VAT is deducted by it. Absent: it does not. */
    not_deductible: Type.Optional(Type.Boolean()),
  }),
);

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
  /** The signature is not there, not valid, or not over the whole file. */
  'signature',
  /** It is the PDF of another document: another type, number or total. */
  'content',
  /** Its allocation number is not the book's. */
  'allocation_number',
  /** It says that the document is cancelled, and the book does not. */
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
    /** What the book says of them. */
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

/** Deletes everything of a test book, or some of a large one; a live book is refused. */
export const clearTestArtifacts = defineContract('rendering.test_book.clear', {
  request: Strict({ business_id: TestBookId }),
  reply: Strict({
    /** How many rows were deleted. */
    deleted: Type.Integer({ minimum: 0 }),
    /** Whether there may be more, for another call. */
    more: Type.Boolean(),
  }),
  errors: ['validation_error'],
  timeoutMs: timeLimitsMs.operatorCall,
});

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
export const statementsPageMax = 100;

/** The statements behind a number, as they are stored. */
export const readHeads = defineContract('rendering.heads.read', {
  request: Strict({ after: Type.Integer({ minimum: 0 }) }),
  /** Empty: there is none behind it. */
  reply: Strict({ signed: Type.Array(Strict({ n: Type.Integer(), ...SignedHeads.properties })) }),
});

/** How rendering comes to know a certificate: from its settings, by what it stored when it signed, or not at all. */
export const headsCertificateOrigins = ['configured', 'stored', 'unknown'] as const;

/** What is found of one statement. */
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
  request: Strict({ statements: Type.Array(SignedHeads, { maxItems: statementsPageMax }) }),
  /** In the order of the statements. */
  reply: Strict({ checked: Type.Array(CheckedHeads) }),
  timeoutMs: timeLimitsMs.operatorCall,
});
