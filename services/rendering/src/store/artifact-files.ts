import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  ApiError,
  type Clock,
  type Counter,
  InjectClock,
  InjectLogger,
  type Logger,
  Metrics,
} from '@pinkas/service-kit';
import type { RenderedArtifact } from '../print/pdf-service.js';
import type { DocumentKey, PlacedArtifact, StoredFile } from './artifact.repository.js';
import { ArtifactStore } from './artifact-store.js';

/** The files of revisions, in their rows or in the object store (ADR 0079). */
@Injectable()
export class ArtifactFiles {
  readonly #losses: Counter<'finding'>;

  constructor(
    private readonly store: ArtifactStore,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.#losses = metrics.counter(
      'pinkas_artifact_file_losses_total',
      'Files that were to be read, and that the place in their row does not have: missing or different.',
      ['finding'],
    );
  }

  /**
   * Stores a file in the object store, where new files go there: before its row, so that no row is without its file.
   * @throws ApiError `document_generation_failed`.
   */
  async place(key: DocumentKey, rendered: RenderedArtifact): Promise<PlacedArtifact> {
    if (!this.store.isWritten) {
      return { ...rendered, objectKey: null };
    }
    try {
      return { ...rendered, objectKey: await this.put(key, rendered.sha256, rendered.pdf) };
    } catch (error) {
      throw new ApiError('document_generation_failed', { cause: (error as Error).cause ?? error });
    }
  }

  /** @returns the key of the new object, which no other row ever has. @throws ApiError `engine_error`. */
  async put(key: DocumentKey, sha256: Buffer, pdf: Buffer): Promise<string> {
    const day = this.clock.now().toISOString().slice(0, 10);
    const name = `${sha256.toString('hex')}-${randomBytes(6).toString('hex')}.pdf`;
    const objectKey = `${day}/${key.business_id}/${key.document_id}/${name}`;
    await this.store.put(objectKey, pdf, sha256);
    return objectKey;
  }

  /** What is stored, whatever it is; null where nothing is. @throws ApiError `engine_error` where the store does not answer. */
  async read(file: StoredFile): Promise<Buffer | null> {
    return file.object_key === null ? file.pdf : this.store.get(file.object_key, file);
  }

  /**
   * The bytes that were signed.
   * @throws Error where they are not there, or others are; ApiError `engine_error` where that may end, as the file is in the store.
   */
  async bytesOf(file: StoredFile): Promise<Buffer> {
    const bytes = await this.read(file);
    if (bytes !== null && createHash('sha256').update(bytes).digest().equals(file.sha256)) {
      return bytes;
    }
    const finding = bytes === null ? 'missing' : 'different';
    const { document_id, revision, object_key } = file;
    this.#losses.inc({ finding });
    this.logger.error({ document_id, revision, object_key, finding }, 'artifact file lost');
    const cause = new Error(`the file of revision ${revision} of document ${document_id} is ${finding}`);
    throw object_key === null ? cause : new ApiError('engine_error', { cause });
  }
}
