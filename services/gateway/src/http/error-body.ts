import { type ErrorBody, type ErrorEntry, errorCatalogue } from '@pinkas/contracts';
import type { Problem } from '@pinkas/service-kit';

/** Where an error code is explained to people. */
export function errorAddress(docsUrl: string, code: string): string {
  return `${docsUrl}/errors#${code}`;
}

/** The error object (interface 2.8) of a problem. Only the details that the catalogue names leave the house. */
export function errorBody(problem: Problem, requestId: string, docsUrl: string): ErrorBody {
  const entry: ErrorEntry = errorCatalogue[problem.code];
  const details = Object.fromEntries(
    Object.entries(problem.details ?? {}).filter(([member]) => entry.details.includes(member)),
  );
  return {
    error: {
      code: problem.code,
      message: entry.message,
      message_he: entry.messageHe,
      ...(entry.hint === undefined ? {} : { hint: entry.hint }),
      retryable: entry.retryable,
      doc_url: errorAddress(docsUrl, problem.code),
      ...(Object.keys(details).length === 0 ? {} : { details }),
    },
    request_id: requestId,
  };
}
