import pg from 'pg';

/** The name of the constraint that a statement violated; undefined for any other error. */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code?.startsWith('23') ? error.constraint : undefined;
}

/** Whether a transaction was ended since it and another one waited for each other. */
export function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '40P01';
}

/** Whether a row refers to one that does not exist, or that was to be deleted. */
export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23503';
}

/** SQLSTATEs of waits and connections that the server has ended. */
const transientStates = new Set(['40P01', '55P03', '57014', '25P03', '57P01', '57P02', '57P03']);
/** Classes of SQLSTATEs: lost connections; no room on the disk, no memory, no connection left. */
const transientClasses = ['08', '53'];
/** What pg says of a lost connection, and of a statement after that, such as the rollback. */
const lostConnection = /timeout|Connection terminated|is not queryable/i;

/** Whether a statement failed for a reason that passes: a timeout, a deadlock, a lost connection. The request may be repeated. */
export function isTransientDatabaseError(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) {
    const { code = '', severity } = error;
    // A session that cannot begin, since the disk has no room for the file that PostgreSQL caches for new ones, has no other code.
    const cannotBegin = code === 'XX000' && severity === 'FATAL';
    return cannotBegin || transientStates.has(code) || transientClasses.includes(code.slice(0, 2));
  }
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  return /^E(CONN|PIPE|HOST|NET|TIMEDOUT)/.test(code) || lostConnection.test(message);
}
