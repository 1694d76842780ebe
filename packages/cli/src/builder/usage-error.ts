import type { ValidationError } from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit/client';
import { printable } from './printable.js';

/** The command line is wrong by itself, whatever the system and the files that it names are; what is right, in one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Why a command cannot be executed, and what to do about it, in one line. */
export class RefusalError extends Error {
  override readonly name = 'RefusalError';
}

/** The exit code of a command that ended with an error. */
export function exitCodeOf(error: unknown): 1 | 2 {
  return error instanceof UsageError ? 2 : 1;
}

/** What standard error gets for an error. @param asJson whether a program reads it. */
export function errorText(error: unknown, asJson: boolean): string {
  const message = errorLine(error);
  if (!asJson) {
    return message;
  }
  const details = error instanceof ApiError && error.details ? { details: detailsOf(error) } : {};
  return JSON.stringify({ error: { code: codeOf(error), message, ...details } });
}

function detailsOf(apiError: ApiError): Readonly<Record<string, unknown>> {
  const { details = {} } = apiError;
  const errors = apiError.code === 'validation_error' && (details.errors as ValidationError[] | undefined);
  return errors
    ? { ...details, errors: errors.map((each) => ({ ...each, path: ownPath(each.path) })) }
    : details;
}

/** The code of a service's error; `usage` or `refused` of this program's, and `failed` of any other. */
function codeOf(error: unknown): string {
  if (error instanceof ApiError) {
    return error.code;
  }
  if (error instanceof UsageError) {
    return 'usage';
  }
  return error instanceof RefusalError ? 'refused' : 'failed';
}

/** The line on standard error for an error. */
export function errorLine(error: unknown): string {
  return printable(textOf(error).replaceAll(/\s+/g, ' ').trim());
}

function textOf(error: unknown): string {
  if (error instanceof ApiError) {
    return apiErrorText(error);
  }
  return error instanceof Error ? error.message : String(error);
}

function apiErrorText(apiError: ApiError): string {
  if (apiError.code === 'validation_error') {
    const errors = (apiError.details?.errors ?? []) as ValidationError[];
    return `Correct these and try again: ${errors.map(fieldText).join('; ')}`;
  }
  if (apiError.code === 'engine_error') {
    const cause = apiError.cause instanceof Error ? ` (${apiError.cause.message})` : '';
    return `A service did not answer${cause}: check that all services run, and try again`;
  }
  return `${apiError.message} See the log of the service`;
}

/** The path in the operator's settings file, not in the request that carries it. */
const ownPath = (path: string): string => path.replace(/^\/(business|change)(?=\/|$)/, '');

function fieldText({ path, message }: ValidationError): string {
  return `${ownPath(path) || '/'} ${message}`;
}
