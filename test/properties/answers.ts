import { expect } from '@jest/globals';
import {
  compile,
  DocumentDetail,
  type DocumentPreview,
  ErrorBody,
  type ErrorCode,
  errorCatalogue,
  errorsOfEveryRoute,
  errorsOfPublicRoutes,
  isErrorCode,
  NewDocument,
  type Route,
  validationErrorsMax,
} from '@pinkas/contracts';
import type { Answer } from '../harness/running-stack.js';
import type { Issuable } from './book-model.js';
import type { Caller } from './caller.js';
import { shekelsOf } from './expected-totals.js';
import type { Refusal } from './refusal.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const checkError = compile(ErrorBody);
const checkCreated = compile(NewDocument);
const checkDetail = compile(DocumentDetail);

/** What an answer looks like, however it was received. */
export interface Answered {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: unknown;
}

/** Expects the headers that every answer of the HTTP API has. */
export function expectHeaders({ status, headers, body }: Answered): void {
  const names = ['x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'content-type'];
  const actual = Object.fromEntries(names.map((name) => [name, headers[name]]));
  const count = expect.stringMatching(/^\d+$/);
  expect({ status, actual, body }).toEqual({
    status,
    actual: {
      'x-request-id': expect.stringMatching(uuid),
      'ratelimit-limit': count,
      'ratelimit-remaining': count,
      'ratelimit-reset': count,
      'content-type': expect.stringMatching(/^application\/json\b/),
    },
    body,
  });
  if (status === 429) {
    expect(headers['retry-after']).toEqual(count);
  }
}

/** What can be said of a request that reaches no route. */
const routeless: readonly ErrorCode[] = ['not_found', 'validation_error', 'rate_limited'];

/**
 * Expects a refusal of the catalogue in its full form, and no failure .
 * @param routes those whose codes are expected; null represents what reaches none.
 * @returns the code.
 */
export function expectRefusal(answered: Answered, ...routes: readonly (Route | null)[]): ErrorCode {
  expectHeaders(answered);
  expect(checkError(answered.body)).toMatchObject({ ok: true });
  const { error, request_id } = answered.body as ErrorBody;
  if (!isErrorCode(error.code)) {
    throw new Error(`${error.code} is not in the catalogue`);
  }
  const { httpStatus, retryable, details } = errorCatalogue[error.code];
  expect({ status: answered.status, code: error.code, retryable: error.retryable }).toEqual({
    status: httpStatus,
    code: error.code,
    retryable,
  });
  expect(answered.status).toBeLessThan(500);
  expect(Object.keys(error.details ?? {}).sort()).toEqual([...details].sort());
  expect(request_id).toBe(answered.headers['x-request-id']);
  const listed = routes.flatMap((route) =>
    route
      ? [...route.errors, ...(route.access === 'key' ? errorsOfEveryRoute : errorsOfPublicRoutes)]
      : routeless,
  );
  expect(listed).toContain(error.code);
  return error.code;
}

/** Expects exactly this refusal, with its details. */
export function expectRefused(answered: Answered, expected: Refusal, route: Route): void {
  const code = expectRefusal(answered, route);
  const { details } = (answered.body as ErrorBody).error;
  expect({ code, faults: faultsOf(details) }).toMatchObject({ code: expected.code });
  if (expected.code === 'validation_error') {
    expectPointers(faultsOf(details), (expected.details?.errors ?? []) as string[]);
  } else {
    // An order of the allowed types is nowhere fixed.
    const sorted = (value: unknown) => (Array.isArray(value) ? [...value].sort() : value);
    const unordered = (item: Record<string, unknown> | undefined) =>
      item && Object.fromEntries(Object.entries(item).map(([name, value]) => [name, sorted(value)]));
    expect(unordered(details)).toEqual(unordered(expected.details));
  }
}

const faultsOf = (details: Record<string, unknown> | undefined): string[] =>
  ((details?.errors ?? []) as { path: string }[]).map((fault) => fault.path);

/** Expects every fault to be named at its place, and nothing at a place that has none. */
function expectPointers(named: readonly string[], expected: readonly string[]): void {
  // A request without customer.id and customer.name may be refused for both.
  const either = (pointer: string) => pointer.replace(/^\/customer\/id$/, '/customer/name');
  const near = (a: string, b: string) => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
  if (expected.length <= validationErrorsMax) {
    expect(named).toEqual(expect.arrayContaining([...expected]));
  }
  const strange = named.filter(
    (item) => !expected.some((fault) => near(item, fault) || near(either(item), fault)),
  );
  expect(strange).toEqual([]);
}

/** The sign of zero is lost on the way, as JSON's own numbers lose nothing else. */
export const plainNumbers = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value), (_name, item) => (item === 0 ? 0 : item));

/** Expects the answer of a creation that the model foresaw. */
export function expectIssued(
  answered: Answered,
  caller: Caller,
  { body, number, date, due_date, customer, totals, paid, source }: Issuable,
  { rate, born }: { rate: number; born: NewDocument['status'] },
): NewDocument {
  expectHeaders(answered);
  expect({ status: answered.status, body: answered.body }).toMatchObject({ status: 201 });
  expect(checkCreated(answered.body)).toMatchObject({ ok: true });
  const created = answered.body as NewDocument;
  expect(created).toEqual({
    id: expect.stringMatching(uuid),
    public_id: expect.stringMatching(/^[\w-]{22,}$/),
    type: body.type,
    number,
    status: born,
    date,
    due_date,
    external_ref: body.external_ref ?? null,
    customer: {
      id: customer.id ?? expect.stringMatching(uuid),
      name: customer.name,
      tax_id: customer.tax_id,
    },
    totals: {
      subtotal: shekelsOf(totals.subtotal),
      discount: shekelsOf(totals.discount),
      vat: shekelsOf(totals.vat),
      vat_rate: rate,
      total: shekelsOf(totals.total),
      paid: shekelsOf(paid),
      currency: 'ILS',
    },
    allocation_number: null,
    allocation: { status: 'not_required', number: null, reason: expect.any(String) },
    delivery: { status: 'disabled', channel: null, scheduled_for: null },
    ...(body.type === 'donation_receipt' && {
      donation: { status: 'not_required', number: null, reason: expect.any(String) },
    }),
    view_url: `${caller.viewUrlBase}/${created.public_id}`,
    pdf_url: `${caller.pdfUrlBase}/${created.public_id}`,
    based_on: source?.created.id ?? null,
    warnings: created.warnings,
    cancelled_at: null,
    created_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/),
  });
  return created;
}

/** Expects a document, read alone, to be this. */
export function expectDetail(answered: Answered, expected: DocumentDetail): void {
  expectHeaders(answered);
  expect({ status: answered.status, body: answered.body }).toMatchObject({ status: 200 });
  expect(checkDetail(answered.body)).toMatchObject({ ok: true });
  expect(answered.body).toEqual(plainNumbers(expected));
}

/** Expects a preview to be refused as its document was, or to have its facts. */
export function expectPreviewOf(
  answer: Answer<NewDocument & ErrorBody>,
  preview: Answer<DocumentPreview & ErrorBody>,
): void {
  if (answer.status !== 201) {
    expect([preview.status, preview.body.error]).toEqual([answer.status, answer.body.error]);
    return;
  }
  const { type, date, due_date, totals, delivery, customer } = answer.body;
  expect(preview).toMatchObject({ status: 200, body: { type, date, due_date, totals, delivery } });
  expect([customer.id, null]).toContain(preview.body.customer.id);
}
