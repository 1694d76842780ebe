import { Injectable } from '@nestjs/common';
import { type issueDocument, type RequestOf, requestFingerprint } from '@pinkas/contracts';
import {
  ApiError,
  type Database,
  forTenant,
  InjectDatabase,
  type Transaction,
  tryAdvisoryLocks,
} from '@pinkas/service-kit';
import { type DocumentRow, findById, findByKey } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';

/** An idempotency key of a business, with what was sent under it. */
export interface IdempotencyKey {
  readonly business_id: string;
  readonly idempotency_key: string;
  /** The hash of what was sent. */
  readonly body_sha256: Buffer;
  /** Whether all that was sent is known here: a newer gateway may send members that were dropped. */
  readonly isComplete: boolean;
}

export function idempotencyKeyOf(request: RequestOf<typeof issueDocument>): IdempotencyKey {
  const { business, idempotency_key, body, set_offs, withheld } = request;
  const known = requestFingerprint({ body, set_offs, withheld });
  const sent = request.body_sha256 === undefined ? known : Buffer.from(request.body_sha256, 'hex');
  return { business_id: business.id, idempotency_key, body_sha256: sent, isComplete: sent.equals(known) };
}

/** A document that an idempotency key has issued before. */
interface ExistingDocument {
  readonly kind: 'existing';
  readonly row: DocumentRow;
}

/**
 * One document for one idempotency key, however many replicas get it. 'Done' is the unique (business, key) of the document. 'In
 * progress' is an advisory lock that ends with the transaction, and in this process, which may issue for one key in one transaction
 * twice, the name of the key in a set.
 *
 * `once` comes first, so that no card is reserved in vain. In the transaction, `lockKeys` and `issuedDocuments` decide: another
 * replica may have begun, or have ended, in between.
 */
@Injectable()
export class IdempotencyKeys {
  /** The keys that this process issues with, up to the commit. */
  readonly #inFlight = new Set<string>();

  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  /**
   * Issues where the key has issued nothing.
   * @throws ApiError `request_in_progress` while the key issues; `engine_error` where its request is not completely known here.
   */
  async once<Result>(key: IdempotencyKey, issue: () => Promise<Result>): Promise<Result | ExistingDocument> {
    this.#requireNotInFlight(key);
    const { existing, isInProgress } = await findByKey(
      forTenant(this.db, key.business_id),
      key.business_id,
      key.idempotency_key,
    );
    if (existing) {
      return { kind: 'existing', row: existing };
    }
    if (!key.isComplete) {
      // A replica of the gateway's release issues the document with all that was sent.
      throw new ApiError('engine_error', { cause: new Error('body has members of a newer release') });
    }
    if (isInProgress) {
      throw new ApiError('request_in_progress');
    }
    // Another request with the key may have begun during the look-up.
    const name = this.#requireNotInFlight(key);
    this.#inFlight.add(name);
    try {
      return await issue();
    } finally {
      this.#inFlight.delete(name);
    }
  }

  /** @returns the name of the key in the set. @throws ApiError `request_in_progress`. */
  #requireNotInFlight({ business_id, idempotency_key }: IdempotencyKey): string {
    const name = `${business_id} ${idempotency_key}`;
    if (this.#inFlight.has(name)) {
      throw new ApiError('request_in_progress');
    }
    return name;
  }
}

/** @throws ApiError `idempotency_key_reused` where the document was issued for another request. */
export function requireSameRequest(row: DocumentRow, key: IdempotencyKey): void {
  if (!row.body_sha256.equals(key.body_sha256)) {
    throw new ApiError('idempotency_key_reused');
  }
}

/**
 * Marks keys as in progress on every replica until the transaction ends, and limits how long each later lock of the transaction may be
 * waited for.
 * @returns `areLocked`: false for a key that another replica holds; `databaseNow`: the time on the database's clock; `timeline`: its
 * timeline.
 */
export function lockKeys(
  trx: Transaction<IssuingTables>,
  keys: readonly IdempotencyKey[],
  lockWaitMs: number,
): Promise<{ areLocked: boolean[]; databaseNow: Date; timeline: string }> {
  return tryAdvisoryLocks(
    trx,
    lockWaitMs,
    keys.map(({ business_id, idempotency_key }) => [business_id, idempotency_key]),
  );
}

/**
 * The documents that earlier holders of the locks of keys have issued.
 * @param keyed what has a key each. @param issuedIds the ids of documents by idempotency key, read under the lock of the series.
 */
export async function issuedDocuments<Keyed extends { readonly key: IdempotencyKey }>(
  trx: Transaction<IssuingTables>,
  keyed: readonly Keyed[],
  issuedIds: ReadonlyMap<string, string>,
): Promise<[Keyed, DocumentRow][]> {
  const issued: [Keyed, DocumentRow][] = [];
  for (const item of keyed) {
    const id = issuedIds.get(item.key.idempotency_key);
    if (id !== undefined) {
      const row = await findById(trx, item.key.business_id, id);
      if (!row) {
        throw new Error('issued document not found');
      }
      issued.push([item, row]);
    }
  }
  return issued;
}
