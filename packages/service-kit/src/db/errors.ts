import pg from 'pg';

/** The name of the constraint that a statement violated; undefined for any other error. */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code?.startsWith('23') ? error.constraint : undefined;
}

/** SQLSTATEs of waits and connections that the server has ended. */
const transientStates = new Set(['40P01', '55P03', '57014', '25P03', '57P01', '57P02', '57P03', '53300']);

/** Whether a statement failed for a reason that passes: a timeout, a deadlock, a lost connection. The request may be repeated. */
export function isTransientDatabaseError(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) {
    return transientStates.has(error.code ?? '') || (error.code ?? '').startsWith('08');
  }
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  return /^E(CONN|PIPE|HOST|NET|TIMEDOUT)/.test(code) || /timeout|Connection terminated/i.test(message);
}
