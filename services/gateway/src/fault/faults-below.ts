import type { Fault } from '@pinkas/contracts';

/** Faults of a part, named from the whole. */
export function below(path: string, faults: readonly Fault[]): Fault[] {
  return faults.map((fault) => ({ ...fault, path: `${path}${fault.path}` }));
}
