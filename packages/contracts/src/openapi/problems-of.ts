import type { Route } from '../define.js';
import { type ErrorCode, errorCatalogue, isErrorCode } from '../errors.js';
import { errorsOfEveryRoute, errorsOfPublicRoutes } from '../http/routes.js';

/**
 * Every code that a call of a route can be refused with, in the order of the catalogue. A query that the route does not
 * know is a `validation_error` everywhere.
 */
export function problemsOf(route: Route): ErrorCode[] {
  const general: readonly ErrorCode[] = route.access === 'key' ? errorsOfEveryRoute : errorsOfPublicRoutes;
  const possible = new Set<ErrorCode>([...general, ...route.errors, 'validation_error']);
  if (!route.issues) {
    possible.delete('issuing_blocked_expenses_only');
  }
  if (route.scope === null) {
    possible.delete('insufficient_scope');
  }
  return Object.keys(errorCatalogue)
    .filter(isErrorCode)
    .filter((code) => possible.has(code));
}
