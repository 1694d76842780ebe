import type { Draft } from './draft.js';
import type { Issued, Outcome, Outcomes } from './issue-transaction.js';

/** How issuing a draft has ended. `unknown`: all statements succeeded, and the commit failed, which the server may have completed. */
export type IssueRun =
  | { committed: 'yes'; result: Issued }
  | { committed: 'no'; error: unknown }
  | { committed: 'unknown'; result: Issued; error: unknown };

/** How a transaction has ended. Where the series was `locked`, one of several drafts may be why it has failed. */
export type TransactionRun =
  | { committed: 'yes'; outcomes: Outcomes }
  | { committed: 'no'; error: unknown; locked: boolean }
  | { committed: 'unknown'; outcomes: Outcomes; error: unknown };

/**
 * How a transaction has ended for one of its drafts.
 * @returns undefined where the draft is to be issued by a later transaction.
 */
export function runOf(draft: Draft, transaction: TransactionRun): IssueRun | undefined {
  if (transaction.committed === 'no') {
    return { committed: 'no', error: transaction.error };
  }
  const outcome = transaction.outcomes.get(draft);
  if (!outcome || transaction.committed === 'yes') {
    return outcome && committedRun(outcome);
  }
  const { error } = transaction;
  switch (outcome.kind) {
    case 'issued':
      return { committed: 'unknown', result: outcome, error };
    case 'existing':
      return { committed: 'yes', result: outcome };
    case 'refused':
      // Its reason may be a document before it, which may not be in the book.
      return { committed: 'no', error };
  }
}

function committedRun(outcome: Outcome): IssueRun {
  return outcome.kind === 'refused'
    ? { committed: 'no', error: outcome.error }
    : { committed: 'yes', result: outcome };
}
