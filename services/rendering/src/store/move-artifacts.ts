import { createHash } from 'node:crypto';
import { Controller } from '@nestjs/common';
import { type ArtifactCursor, moveArtifacts, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { ApiError, acrossTenants, type Database, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { RenderingTables } from '../db/artifact.tables.js';
import { ArtifactFiles } from './artifact-files.js';
import { ArtifactStore } from './artifact-store.js';
import { fileAt, revisionsAfter, setPlace } from './object.repository.js';

/** How many revisions a call looks at, in either place. */
const scannedMax = 1_000;
/** After this time a call moves no further file. */
const callMs = 10_000;

type Request = RequestOf<typeof moveArtifacts>;
type Reply = ReplyOf<typeof moveArtifacts>;

/**
 * Moves files between their rows and the object store, some with each call. A file is in its new place, and was read from there, before
 * its row names it; one that cannot be read, or is another, stays where it is.
 */
@Controller()
export class MoveArtifacts {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    private readonly files: ArtifactFiles,
    private readonly store: ArtifactStore,
  ) {}

  @Operation(moveArtifacts)
  async move({ to, after, files }: Request): Promise<Reply> {
    this.#refuseWithoutStore(to);
    const all = acrossTenants(this.db);
    const page = await revisionsAfter(all, after, scannedMax);
    const endMs = performance.now() + callMs;
    const reply: Reply = {
      moved: 0,
      bytes: 0,
      failed: [],
      next: null,
      new_files: this.store.isWritten ? 'store' : 'database',
    };
    let last = after;
    for (const { is_in_row, ...at } of page) {
      if (is_in_row === (to === 'store')) {
        if (reply.moved + reply.failed.length >= files || performance.now() > endMs) {
          return { ...reply, next: last };
        }
        await this.#moveOne(all, at, to, reply);
      }
      last = at;
    }
    return { ...reply, next: page.length === scannedMax ? last : null };
  }

  async #moveOne(
    all: Database<RenderingTables>,
    at: ArtifactCursor,
    to: Request['to'],
    reply: Reply,
  ): Promise<void> {
    const file = await fileAt(all, at);
    if (file === undefined) {
      return;
    }
    const pdf = await this.files.read(file);
    if (pdf === null || !hasHash(pdf, file.sha256)) {
      const message =
        pdf === null ? 'the file is not in the object store' : 'the file does not have its hash';
      reply.failed.push({ ...at, message });
      return;
    }
    if (to === 'database') {
      reply.moved += Number(await setPlace(all, at, { pdf, object_key: null }));
    } else {
      const object_key = await this.files.put(at, file.sha256, pdf);
      const written = await this.files.read({ ...file, pdf: null, object_key });
      if (written === null || !hasHash(written, file.sha256)) {
        reply.failed.push({ ...at, message: 'the object store returns another file than it was given' });
        return;
      }
      reply.moved += Number(await setPlace(all, at, { pdf: null, object_key }));
    }
    reply.bytes += pdf.length;
  }

  #refuseWithoutStore(to: Request['to']): void {
    if (!this.store.isConfigured) {
      throw ApiError.invalid([
        { path: '/to', message: 'needs ARTIFACT_STORE, which rendering does not have' },
      ]);
    }
    if (to === 'store' && !this.store.isWritten) {
      throw ApiError.invalid([
        { path: '/to', message: 'must not be store while ARTIFACT_STORE has readonly=true' },
      ]);
    }
  }
}

const hasHash = (bytes: Buffer, sha256: Buffer) => createHash('sha256').update(bytes).digest().equals(sha256);
