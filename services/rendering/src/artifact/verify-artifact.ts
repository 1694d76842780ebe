import { createHash } from 'node:crypto';
import {
  type ArtifactFinding,
  type auditArtifacts,
  type PendingArtifactWork,
  type RequestOf,
} from '@pinkas/contracts';
import { type DocumentType, documentTypeRules, splitNumbers } from '@pinkas/domain';
import { type PdfText, verifySignature } from '@pinkas/pdf';
import { formatMoney } from '@pinkas/ui';
import { cancelledWords, wording } from '../document/wording.js';

/** The facts of a document as issuing stores them. */
export type BookFacts = RequestOf<typeof auditArtifacts>['documents'][number];

/** A finding and half a sentence about it. */
export interface Finding {
  readonly finding: ArtifactFinding;
  readonly message: string;
}

/** The row of a revision, without its PDF. */
export interface RevisionFacts {
  readonly revision: number;
  readonly sha256: Buffer;
  readonly certificate_sha256: Buffer;
  readonly allocation_number: string | null;
  readonly number_pending: boolean;
  readonly report_cancelled: boolean;
  readonly cancelled_at: Date | null;
  readonly published_at: Date | null;
}

/** @returns the findings about a document's revisions as a whole. */
export function checkRevisions(revisions: readonly RevisionFacts[], book: BookFacts): Finding[] {
  const latest = revisions.at(-1);
  if (!latest) {
    return [{ finding: 'missing', message: 'there is no PDF of it' }];
  }
  const findings: Finding[] = [];
  const numbers = revisions.map(({ revision }) => revision);
  if (numbers.some((number, index) => number !== index + 1)) {
    findings.push({ finding: 'revisions', message: `its PDFs are the revisions ${numbers.join(', ')}` });
  }
  const [first] = revisions;
  if (first?.revision === 1 && first.sha256.toString('hex') !== book.artifact_sha256) {
    findings.push({
      finding: 'book_hash',
      message: 'its first PDF does not have the hash that is in the book',
    });
  }
  if (latest.allocation_number !== null && latest.allocation_number !== book.allocation_number) {
    const named = book.allocation_number === null ? 'none' : `the number ${book.allocation_number}`;
    findings.push({
      finding: 'allocation_number',
      message: `its PDF was made with the allocation number ${latest.allocation_number}, and the book has ${named}`,
    });
  }
  if (latest.cancelled_at !== null && book.cancelled_at === null) {
    findings.push({
      finding: 'cancelled',
      message: 'its PDF says that it is cancelled, and the book does not',
    });
  }
  return findings;
}

/** @returns what a PDF still has to be rendered or published for. */
export function pendingWork(revisions: readonly RevisionFacts[], book: BookFacts): PendingArtifactWork[] {
  const latest = revisions.at(-1);
  if (!latest) {
    return [];
  }
  return [
    // Where no number is required the first is final from the start.
    ...(revisions.some(({ number_pending }) => number_pending) &&
    revisions.every(({ published_at }) => published_at === null)
      ? (['final'] as const)
      : []),
    ...(book.allocation_number !== null && latest.allocation_number === null
      ? (['allocation_number'] as const)
      : []),
    ...(book.cancelled_at !== null && latest.cancelled_at === null ? (['cancelled'] as const) : []),
    ...(book.report_cancelled && !latest.report_cancelled ? (['report_cancelled'] as const) : []),
  ];
}

/**
 * @param revokedAt since when the certificate that signed is revoked.
 * @returns the findings about the bytes of one revision. Nothing that they state of themselves is trusted.
 */
export function checkBytes(facts: RevisionFacts, pdf: Buffer, revokedAt: Date | null): Finding[] {
  const name = `revision ${facts.revision} of its PDF`;
  const findings: Finding[] = [];
  if (!createHash('sha256').update(pdf).digest().equals(facts.sha256)) {
    findings.push({ finding: 'hash', message: `${name} does not have the hash that it was stored with` });
  }
  const failure = verifySignature(pdf, facts.certificate_sha256, revokedAt);
  if (failure !== null) {
    findings.push({ finding: 'signature', message: `${name}: ${failure}` });
  }
  return findings;
}

/**
 * @returns what the latest revision lacks of what it must show.
 * @param facts of that revision.
 */
export function checkText(text: PdfText, facts: RevisionFacts, book: BookFacts): Finding[] {
  const findings: Finding[] = [];
  const content = (message: string) => findings.push({ finding: 'content', message });
  if (!headings(book).includes(text.title ?? '')) {
    content('its PDF is titled as another document');
  }
  const words = text.words.map((word) => word.replaceAll('₪', ''));
  if (!showsNumber(words, book.number)) {
    content(`its PDF does not show the number ${book.number}`);
  }
  const total = formatMoney(book.total);
  if (!book.without_prices && !words.includes(total)) {
    content(`its PDF does not show the total ${total}`);
  }
  const { allocation_number: number } = facts;
  if (number !== null && !splitNumbers(number).every((text) => showsText(words, text))) {
    findings.push({
      finding: 'allocation_number',
      message: `its PDF does not show the allocation number ${number}`,
    });
  }
  if (facts.report_cancelled && !words.includes(asDrawn(reportCancelledWord))) {
    findings.push({
      finding: 'cancelled',
      message: 'its PDF does not show that the report of its donation is cancelled',
    });
  }
  // Documents in either language have the Hebrew word.
  if (facts.cancelled_at !== null && !words.includes(asDrawn(cancelledWords.he))) {
    findings.push({ finding: 'cancelled', message: 'its PDF does not show that it is cancelled' });
  }
  return findings;
}

/** The titles of a document, in either language. */
function headings({ type, number }: { type: DocumentType; number: number }): string[] {
  const { name, nameHe } = documentTypeRules[type];
  return [`${nameHe} ${number}`, `${name} ${number}`];
}

/** The number must be beside the word for it: a small number alone occurs in many places. */
function showsNumber(words: readonly string[], number: number): boolean {
  const hebrew = asDrawn(wording.number.he);
  return words.some(
    (word, index) =>
      word === String(number) && (words[index + 1] === hebrew || words[index - 1] === wording.number.en),
  );
}

/** Whether a number is there, also with the sign that separates it from the next. */
const showsText = (words: readonly string[], text: string): boolean =>
  words.some((word) => word.replace(/^,|,$/g, '') === text);

/** The word that only a document whose report is cancelled has. */
const reportCancelledWord = 'בוטל';

/** A Hebrew word in the order in which its letters are drawn, from left to right. */
const asDrawn = (word: string): string => [...word].reverse().join('');
