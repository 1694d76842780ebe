import type { Session } from '../session/session.repository.js';

/** A proof of who a person is counts this long for what needs a fresh one. */
const freshMs = 10 * 60 * 1000;

export function isProofFresh({ provedAt }: Session, now: Date): boolean {
  return now.getTime() - provedAt.getTime() <= freshMs;
}

/** Where a person proves who they are, and is led back from. */
export function proofPath(next: string): string {
  return `/prove?${next === '' ? '' : new URLSearchParams({ next })}`;
}
