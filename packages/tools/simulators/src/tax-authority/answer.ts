import { randomInt } from 'node:crypto';

/** One answer, with the source that it follows: a mark ([A], [B], [C]: see the README) and public papers. */
export interface Answer {
  readonly status: number;
  /** An object is sent as JSON, text as it is. */
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly source: string;
}

/** One error of `message.errors`. */
export interface DataError {
  readonly code: number;
  readonly message: string;
  readonly param: string;
  readonly location: 'request' | 'approval';
}

export function answer(status: number, body: object, source: string): Answer {
  return { status, body, source };
}

const more: Readonly<Record<number, readonly [name: string, text: string]>> = {
  400: ['Bad Request', 'Invalid JSON in the request body'],
  401: [
    'Unauthorized',
    'Cannot pass the security checks that are required by the target API or operation, Enable debug headers for more details.',
  ],
  403: ['Forbidden', "You don't have permission to access this service"],
  404: ['Not Found', 'No resources match requested URI'],
  422: ['Unprocessable Entity', 'Validate all objects sent according to schema'],
  429: ['Too Many Requests', 'Rate Limit exceeded'],
  503: ['Service Unavailable', 'The service is temporarily unavailable'],
};

/** An answer of the gateway in front of the services. */
export function gateway(
  status: number,
  source: string,
  text?: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const [httpMessage, moreInformation] = more[status] ?? [`Status ${status}`, 'The call was rejected'];
  const body = { httpCode: String(status), httpMessage, moreInformation: text ?? moreInformation };
  return { status, body, headers, source };
}

/** 26 digits as the numbers and ids of the v2 papers: 17 of the instant, 9 more. */
export function longNumber(at: Date, nine: string = nineDigits()): string {
  return at.toISOString().replace(/\D/g, '') + nine;
}

export function nineDigits(): string {
  return String(randomInt(10 ** 9)).padStart(9, '0');
}

/** 406 and 500 of the services. */
export function withErrorId(status: 406 | 500, at: Date, source: string): Answer {
  const message = status === 406 ? 'Not Acceptable' : 'Internal error server';
  return answer(status, { status, message, error_id: longNumber(at) }, source);
}

/** The services' own check of a schema, whose members have other names than those of data errors (OA: SchemaErrorDetails). */
export function schemaErrors(
  errors: readonly { readonly value: string | null; readonly msg: string; readonly param: string }[],
  at: Date,
  source = '[A] OA (SchemaErrorDetails)',
): Answer {
  const listed = errors.map((error) => ({ ...error, location: 'body' }));
  return answer(400, { status: 400, message: { errors: listed }, error_id: longNumber(at) }, source);
}

/** Data errors and refusals of an operation that gives numbers. */
export function notApproved(status: 200 | 400, errors: readonly DataError[], source: string): Answer {
  return answer(status, { status, message: { errors }, confirmation_number: '0', approved: false }, source);
}

/** Errors of an operation that gives no numbers. */
export function rejected(errors: readonly DataError[], source: string): Answer {
  return answer(400, { status: 400, message: { errors } }, source);
}
