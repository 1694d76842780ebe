import { Controller } from '@nestjs/common';
import { auditArtifacts, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { extractText, type PdfText } from '@pinkas/pdf';
import { type Database, forTenant, InjectDatabase, Operation, remainingMs } from '@pinkas/service-kit';
import { Semaphore } from '@pinkas/service-kit/concurrency';
import type { RenderingTables } from '../db/artifact.tables.js';
import { Signers } from '../signature/signers.js';
import { ArtifactFiles } from '../store/artifact-files.js';
import { fileOf, revisionFacts } from './audit.repository.js';
import { type BookFacts, checkBytes, checkRevisions, checkText, pendingWork } from './verify-artifact.js';

type Audited = ReplyOf<typeof auditArtifacts>['documents'][number];

/** Reading a PDF blocks the process: a higher concurrency only holds more of them in memory. */
const concurrency = 2;
const queueMax = 64;

/** Verifies the stored PDFs of documents: every revision by its hash and signature, the latest by its text as well. */
@Controller()
export class AuditArtifacts {
  readonly #semaphore = new Semaphore(concurrency, queueMax);

  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    private readonly signers: Signers,
    private readonly files: ArtifactFiles,
  ) {}

  @Operation(auditArtifacts)
  async handle(request: RequestOf<typeof auditArtifacts>): Promise<ReplyOf<typeof auditArtifacts>> {
    const db = forTenant(this.db, request.business_id);
    const deadline = AbortSignal.timeout(Math.max(1, Math.floor(remainingMs(auditArtifacts.timeoutMs))));
    return this.#semaphore.run(deadline, async () => {
      const documents: Audited[] = [];
      for (const book of request.documents) {
        // No one waits for the rest after that, and documents have to be rendered.
        deadline.throwIfAborted();
        documents.push(await this.#audit(db, { business_id: request.business_id, ...book }));
      }
      return { documents };
    });
  }

  async #audit(db: Database<RenderingTables>, book: BookFacts & { business_id: string }): Promise<Audited> {
    const revisions = await revisionFacts(db, book);
    const findings = checkRevisions(revisions, book);
    for (const facts of revisions) {
      const file = await fileOf(db, book, facts.revision);
      if (!file) {
        continue;
      }
      const pdf = await this.files.read(file);
      if (pdf === null) {
        findings.push({
          finding: 'missing',
          message: `revision ${facts.revision} of its PDF is not in the object store (${file.object_key})`,
        });
        continue;
      }
      const found = checkBytes(facts, pdf, this.signers.revokedAt(facts.certificate_sha256));
      findings.push(...found);
      // The text of a file that is not the signed one proves nothing.
      if (facts !== revisions.at(-1) || found.length > 0) {
        continue;
      }
      const text = await textOf(pdf);
      findings.push(
        ...(text
          ? checkText(text, facts, book)
          : [{ finding: 'content', message: 'its PDF cannot be read' } as const]),
      );
    }
    return {
      document_id: book.document_id,
      revisions: revisions.length,
      findings,
      pending: pendingWork(revisions, book),
    };
  }
}

async function textOf(pdf: Buffer): Promise<PdfText | null> {
  try {
    return await extractText(pdf);
  } catch {
    return null;
  }
}
