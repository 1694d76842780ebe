import { actorOf, appendTrail, type Clock, type Database, databaseNow, forTenant } from '@pinkas/service-kit';
import type { ConsoleTables } from '../../db/console.tables.js';
import type { TransmissionFailure, TransmissionState } from '../../db/export.tables.js';
import type { ExportView } from '../export/exports.js';
import { findTransmissions, insertTransmission, type TransmissionRow } from './transmission.repository.js';

/** A transmission as a page shows it. */
export interface TransmissionView {
  readonly state: TransmissionState;
  readonly requestedAt: Date;
  readonly endedAt: Date | null;
  /** Whether the authority has all files, and decides. */
  readonly isUploaded: boolean;
  /** Bytes that have arrived, and all of them; the latter null while the addresses of the files are requested. */
  readonly progress: { readonly sent: number; readonly total: number | null };
  /** The reasons of the authority for files that it rejected. */
  readonly descriptions: readonly string[];
  readonly failure: TransmissionFailure | null;
  /** Of the latest failure, of the authority or in English. */
  readonly error: string | null;
}

/** Whether a file may be transmitted: the uniform structure of all documents of a range. */
export const isTransmittable = ({ format, isSelection, state }: ExportView): boolean =>
  format === 'uniform' && !isSelection && state === 'done';

/** The transmissions of some exports, by the id of the export. @param db of the service, without a scope. */
export async function listTransmissions(
  db: Database<ConsoleTables>,
  businessId: string,
  exports: readonly ExportView[],
): Promise<ReadonlyMap<string, TransmissionView>> {
  const ids = exports.filter(({ format }) => format === 'uniform').map(({ id }) => id);
  const rows = await findTransmissions(forTenant(db, businessId), businessId, ids);
  return new Map(rows.map((row) => [row.export_id, viewOf(row)]));
}

function viewOf(row: TransmissionRow): TransmissionView {
  const files = row.progress?.files ?? [];
  const descriptions = files
    .filter(({ status }) => status === 'rejected')
    .map(({ name, description }) => (description ? `${name}: ${description}` : name));
  return {
    state: row.state,
    requestedAt: row.requested_at,
    endedAt: row.ended_at,
    isUploaded: row.uploaded_at !== null,
    progress: {
      sent: row.sent_bytes,
      total: files.length === 0 ? null : files.reduce((sum, { bytes }) => sum + bytes, 0),
    },
    descriptions,
    failure: row.failure,
    error: row.error,
  };
}

/**
 * Requests that a file is transmitted, in the background, or that one goes on that has failed. Twice is once.
 * @param db of the service, without a scope.
 * @returns whether there was anything to do.
 */
export async function requestTransmission(
  db: Database<ConsoleTables>,
  { businessId, personId }: { readonly businessId: string; readonly personId: string },
  { id: exportId, from, to, file }: ExportView,
  clock: Clock,
): Promise<boolean> {
  const scoped = forTenant(db, businessId);
  const now = await databaseNow(scoped, clock);
  return scoped.transaction().execute(async (trx) => {
    const isBegun = await insertTransmission(trx, { businessId, exportId, personId }, now);
    if (isBegun) {
      await appendTrail(trx, {
        business_id: businessId,
        action: 'transmission.request',
        subject: exportId,
        actor: actorOf(personId),
        before: null,
        after: { from, to, file: file?.name ?? null },
      });
    }
    return isBegun;
  });
}
