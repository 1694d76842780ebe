import { createHash } from 'node:crypto';
import {
  type ArtifactFault,
  type ArtifactStep,
  type auditArtifacts,
  type DocumentType,
  documentTypeRules,
  type RequestOf,
} from '@pinkas/contracts';
import { formatMoney } from '../document/figures.js';
import { statusWords, wording } from '../document/wording.js';
import { signatureFault } from '../signature/signature-proof.js';
import type { PrintedWords } from './printed-words.js';

/** What the book says of a document. */
export type BookFacts = RequestOf<typeof auditArtifacts>['documents'][number];

/** A fault and half a sentence that says what is wrong. */
export interface FoundFault {
  readonly fault: ArtifactFault;
  readonly words: string;
}

/** A revision as its row tells of it. */
export interface RevisionFacts {
  readonly revision: number;
  readonly sha256: Buffer;
  readonly certificate_sha256: Buffer;
  readonly allocation_number: string | null;
  readonly cancelled_at: Date | null;
  readonly announced_at: Date | null;
}

/** @returns the faults of a document's revisions as a whole. */
export function faultsOfRevisions(revisions: readonly RevisionFacts[], book: BookFacts): FoundFault[] {
  const latest = revisions.at(-1);
  if (!latest) return [{ fault: 'missing', words: 'there is no PDF of it' }];
  const faults: FoundFault[] = [];
  const numbers = revisions.map(({ revision }) => revision);
  if (numbers.some((number, index) => number !== index + 1)) {
    faults.push({ fault: 'revisions', words: `its PDFs are the revisions ${numbers.join(', ')}` });
  }
  const [first] = revisions;
  if (first?.revision === 1 && first.sha256.toString('hex') !== book.artifact_sha256) {
    faults.push({
      fault: 'book_hash',
      words: 'its first PDF is not the one that the book names by its hash',
    });
  }
  if (latest.allocation_number !== null && latest.allocation_number !== book.allocation_number) {
    const named = book.allocation_number === null ? 'none' : `the number ${book.allocation_number}`;
    faults.push({
      fault: 'allocation_number',
      words: `its PDF was made with the allocation number ${latest.allocation_number}, and the book has ${named}`,
    });
  }
  if (latest.cancelled_at !== null && book.cancelled_at === null) {
    faults.push({ fault: 'cancelled', words: 'its PDF says that it is cancelled, and the book does not' });
  }
  return faults;
}

/** @returns what its PDFs still have to be made for. */
export function stepsOwed(revisions: readonly RevisionFacts[], book: BookFacts): ArtifactStep[] {
  const latest = revisions.at(-1);
  if (!latest) return [];
  return [
    ...(revisions.every(({ announced_at }) => announced_at === null) ? (['final'] as const) : []),
    ...(book.allocation_number !== null && latest.allocation_number === null
      ? (['allocation_number'] as const)
      : []),
    ...(book.cancelled_at !== null && latest.cancelled_at === null ? (['cancelled'] as const) : []),
  ];
}

/** @returns the faults of the bytes of one revision, of which nothing is believed that they say. */
export function faultsOfBytes(facts: RevisionFacts, pdf: Buffer): FoundFault[] {
  const name = `revision ${facts.revision} of its PDF`;
  const faults: FoundFault[] = [];
  if (!createHash('sha256').update(pdf).digest().equals(facts.sha256)) {
    faults.push({ fault: 'hash', words: `${name} does not have the hash that it was stored with` });
  }
  const fault = signatureFault(pdf, facts.certificate_sha256);
  if (fault !== null) faults.push({ fault: 'signature', words: `${name}: ${fault}` });
  return faults;
}

/**
 * @returns what the latest revision does not show of what it must.
 * @param facts of that revision.
 */
export function faultsOfWords(printed: PrintedWords, facts: RevisionFacts, book: BookFacts): FoundFault[] {
  const faults: FoundFault[] = [];
  const content = (words: string) => faults.push({ fault: 'content', words });
  if (!headings(book).includes(printed.title ?? '')) {
    content('its PDF is titled as another document');
  }
  const words = printed.words.map((word) => word.replaceAll('₪', ''));
  if (!showsNumber(words, book.number)) content(`its PDF does not show the number ${book.number}`);
  const total = formatMoney(book.total);
  if (!words.includes(total)) content(`its PDF does not show the total ${total}`);
  const { allocation_number: number } = facts;
  if (number !== null && !words.includes(number)) {
    faults.push({
      fault: 'allocation_number',
      words: `its PDF does not show the allocation number ${number}`,
    });
  }
  // The Hebrew word stands on documents in either language.
  if (facts.cancelled_at !== null && !words.includes(asDrawn(statusWords.cancelled.he))) {
    faults.push({ fault: 'cancelled', words: 'its PDF does not show that it is cancelled' });
  }
  return faults;
}

/** What a document is titled, in either language. */
function headings({ type, number }: { type: DocumentType; number: number }): string[] {
  const { name, nameHe } = documentTypeRules[type];
  return [`${nameHe} ${number}`, `${name} ${number}`];
}

/** The number beside the word for it: a small one alone stands in many places. */
function showsNumber(words: readonly string[], number: number): boolean {
  const hebrew = asDrawn(wording.number.he);
  return words.some(
    (word, index) =>
      word === String(number) && (words[index + 1] === hebrew || words[index - 1] === wording.number.en),
  );
}

/** A Hebrew word as its letters are drawn, from left to right. */
const asDrawn = (word: string): string => [...word].reverse().join('');
