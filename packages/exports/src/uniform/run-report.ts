import { toShekels } from '@pinkas/domain';
import type { Deviation, LeftOut, RecordCode, UniformFiles, UniformRun } from '@pinkas/domain/uniform';
import { uniformTypeNames } from '@pinkas/domain/uniform';

/** What a run wrote, as its reports state it; it is stored as JSON. */
export interface RunReport {
  readonly business: { readonly taxId: string; readonly name: string };
  /** The number of its certificate is null where it has none. */
  readonly software: {
    readonly name: string;
    readonly version: string;
    readonly registration: string | null;
  };
  readonly path: string;
  /** YYYY-MM-DD. */
  readonly from: string;
  readonly to: string;
  /** In Israel: YYYY-MM-DD and hhmm. */
  readonly began: { readonly day: string; readonly time: string };
  readonly primaryId: string;
  readonly charset: string;
  /** In the order of INI.TXT. */
  readonly records: readonly { readonly code: RecordCode; readonly count: number }[];
  /** Each document type of the structure, with the sum of its documents in ILS. */
  readonly types: readonly {
    readonly code: number;
    readonly name: string;
    readonly documents: number;
    readonly total: number;
  }[];
  readonly leftOut: LeftOut;
  readonly deviations: readonly {
    readonly field: number;
    readonly name: string;
    readonly deviation: Deviation;
    readonly count: number;
    /** The first documents, as code and number. */
    readonly documents: readonly string[];
  }[];
}

/** The report of a run, once INI.TXT is encoded. */
export function runReport(run: UniformRun, files: UniformFiles): RunReport {
  const { business, software, path, from, to, began, primaryId, charset } = run;
  const totals = new Map(files.typeTotals.map((total) => [total.code, total]));
  return {
    business: { taxId: business.taxId, name: business.name },
    software: { name: software.name, version: software.version, registration: software.registration },
    ...{ path, from, to, began, primaryId, charset },
    records: files.recordCounts,
    types: [...uniformTypeNames].map(([code, name]) => {
      const { documents = 0, total = 0n } = totals.get(code) ?? {};
      return { code, name, documents, total: toShekels(total) };
    }),
    leftOut: { ...files.leftOut },
    deviations: files.deviations.map(({ field, ...deviation }) => ({
      ...deviation,
      field: field.number,
      name: field.name,
    })),
  };
}
