import type { Fault } from '@pinkas/contracts';
import { pointer } from '../fault/malformed-texts.js';

/** The faults of the query of a route that takes no parameters. */
export function queryFaults(query: string): Fault[] {
  const names = new Set(new URLSearchParams(query).keys());
  return [...names].map((name) => ({ path: pointer('/query', name), message: 'is not a known parameter' }));
}
