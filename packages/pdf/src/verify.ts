/** What verifies a file, without what makes and reads one: for programs that take files of strangers. */
export { type ExaminedFile, examineFile, type FileKind } from './signature/examine-file.js';
export type { VerifiedTimestamp } from './signature/timestamp-token.js';
export {
  type DetachedVerification,
  type FileSignature,
  readSignature,
  verifyDetached,
  verifySignature,
} from './signature/verify-signature.js';
