import { checkDocument, findArtifact, findPublicDocument, type ReplyOf } from '@pinkas/contracts';
import { examineFile, type FileSignature, readSignature, verifySignature } from '@pinkas/pdf/verify';
import { ApiError, type RpcClient } from '@pinkas/service-kit';

type Found = NonNullable<ReplyOf<typeof findArtifact>['found']>;

/** Why nothing can be said for a file, or an id. */
export type Problem =
  | 'none'
  | 'malformed'
  | 'too_large'
  | 'busy'
  | 'no_such_id'
  | 'empty'
  | 'not_pdf'
  | 'encrypted'
  | 'unsigned'
  | 'foreign'
  | 'altered'
  | 'altered_test'
  | 'unknown';

/** What is known of a file whose bytes are, or begin with, a stored PDF. */
export interface CheckedFile {
  readonly sha256: string;
  /** Null: it is not valid, for the reason. */
  readonly signature: FileSignature | null;
  readonly reason: string | null;
  /** How many bytes follow the stored PDF. */
  readonly appendedBytes: number;
}

/** What is known of a document. */
export interface CheckedDocument {
  readonly document: ReplyOf<typeof checkDocument>;
  readonly revision: number;
  readonly latestRevision: number;
  /** When the end of its series was signed last. */
  readonly signedAt: string | null;
  /** Null: an id was given, and no file. */
  readonly file: CheckedFile | null;
}

export type Answer = { readonly problem: Problem } | CheckedDocument;

/**
 * Checks a file. Only hashes leave the process: whose file it is, rendering and issuing know by its hash alone, so that nothing is
 * shown of a document to a person who does not have its file.
 */
export async function checkFile(rpc: RpcClient, bytes: Buffer): Promise<Answer> {
  const { kind, sha256, earlier, certificates } = examineFile(bytes);
  if (kind === 'empty' || kind === 'not_pdf') {
    return { problem: kind };
  }
  const { found, known } = await rpc.call(findArtifact, {
    sha256s: [sha256, ...earlier.map((item) => item.sha256)],
    certificates: [...certificates],
  });
  const stored = found && storedPart(bytes, [{ bytes: bytes.length, sha256 }, ...earlier], found);
  const checked = stored && (await documentOf(rpc, found, stored));
  if (checked) {
    return checked;
  }
  const [certificate] = known;
  if (!certificate) {
    return { problem: kind === 'signed' ? 'foreign' : kind };
  }
  const reason = verifySignature(
    bytes,
    Buffer.from(certificate.sha256, 'hex'),
    dateOf(certificate.revoked_at),
  );
  if (reason === null) {
    return { problem: 'unknown' };
  }
  return { problem: certificate.mode === 'test' ? 'altered_test' : 'altered' };
}

/** Checks the document of an address: who has it sees the document on its page as well. */
export async function checkPublicId(rpc: RpcClient, publicId: string): Promise<Answer> {
  try {
    const { document } = await rpc.call(findPublicDocument, { public_id: publicId });
    const { found } = await rpc.call(findArtifact, {
      sha256s: [],
      document: { business_id: document.business_id, document_id: document.id },
      certificates: [],
    });
    return (found && (await documentOf(rpc, found, null))) ?? { problem: 'no_such_id' };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') {
      return { problem: 'no_such_id' };
    }
    throw error;
  }
}

function storedPart(
  file: Buffer,
  parts: readonly { readonly bytes: number; readonly sha256: string }[],
  found: Found,
): CheckedFile | null {
  const part = parts.find(({ sha256 }) => sha256 === found.sha256);
  if (!part) {
    return null;
  }
  const certificate = Buffer.from(found.certificate_sha256, 'hex');
  const verified = readSignature(file.subarray(0, part.bytes), certificate, dateOf(found.revoked_at));
  return { sha256: found.sha256, appendedBytes: file.length - part.bytes, ...verified };
}

/** Null where no book has the document: its PDF was made, and it was not issued. */
async function documentOf(
  rpc: RpcClient,
  found: Found,
  file: CheckedFile | null,
): Promise<CheckedDocument | null> {
  const { business_id, document_id, signed_ends } = found;
  try {
    const document = await rpc.call(checkDocument, { business_id, document_id, signed_ends });
    return {
      document,
      revision: found.revision,
      latestRevision: found.latest_revision,
      signedAt: signed_ends.find(({ type }) => type === document.type)?.at ?? null,
      file,
    };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') {
      return null;
    }
    throw error;
  }
}

const dateOf = (instant: string | null): Date | null => (instant === null ? null : new Date(instant));
