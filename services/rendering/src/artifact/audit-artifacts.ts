import { auditArtifacts, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import {
  type Database,
  InjectDatabase,
  Operation,
  ofBusiness,
  remainingMs,
  Slots,
} from '@pinkas/service-kit';
import type { RenderingTables } from './artifact.tables.js';
import {
  type BookFacts,
  type FoundFault,
  faultsOfBytes,
  faultsOfRevisions,
  faultsOfWords,
  stepsOwed,
} from './artifact-proof.js';
import { pdfOf, revisionFacts } from './audit.repository.js';
import { type PrintedWords, readPrintedWords } from './printed-words.js';

type Audited = ReplyOf<typeof auditArtifacts>['documents'][number];

/** Reading PDFs takes the whole process while it lasts: more at once would only hold more of them in memory. */
const concurrency = 2;
const queueMax = 64;

/** Proves the stored PDFs of some documents: every revision by its hash and signature, the latest by its words as well. */
@Operation(auditArtifacts)
export class AuditArtifacts {
  readonly #slots = new Slots(concurrency, queueMax);

  constructor(@InjectDatabase() private readonly db: Database<RenderingTables>) {}

  async handle(request: RequestOf<typeof auditArtifacts>): Promise<ReplyOf<typeof auditArtifacts>> {
    const db = ofBusiness(this.db, request.business_id);
    const inTime = AbortSignal.timeout(Math.max(1, Math.floor(remainingMs(auditArtifacts.timeoutMs))));
    return this.#slots.run(inTime, async () => {
      const documents: Audited[] = [];
      for (const book of request.documents) {
        // Nobody waits for the rest after that, and documents have to be printed.
        inTime.throwIfAborted();
        documents.push(await audit(db, { business_id: request.business_id, ...book }));
      }
      return { documents };
    });
  }
}

async function audit(
  db: Database<RenderingTables>,
  book: BookFacts & { business_id: string },
): Promise<Audited> {
  const revisions = await revisionFacts(db, book);
  const faults: FoundFault[] = faultsOfRevisions(revisions, book);
  for (const facts of revisions) {
    const pdf = await pdfOf(db, book, facts.revision);
    if (!pdf) continue;
    const found = faultsOfBytes(facts, pdf);
    faults.push(...found);
    // What a file says that is not the one that was signed proves nothing.
    if (facts !== revisions.at(-1) || found.length > 0) continue;
    const printed = await wordsOf(pdf);
    faults.push(
      ...(printed
        ? faultsOfWords(printed, facts, book)
        : [{ fault: 'content', words: 'its PDF cannot be read' } as const]),
    );
  }
  return {
    document_id: book.document_id,
    revisions: revisions.length,
    faults,
    owed: stepsOwed(revisions, book),
  };
}

async function wordsOf(pdf: Buffer): Promise<PrintedWords | null> {
  try {
    return await readPrintedWords(pdf);
  } catch {
    return null;
  }
}
