import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ErrorCode, errorCatalogue, publicRoutes, type Route } from '@pinkas/contracts';
import { errorCodes } from './error-table.js';
import { allocation } from './sections/allocation.js';
import { authentication } from './sections/authentication.js';
import { businessRules } from './sections/business-rules.js';
import { cancelling } from './sections/cancel.js';
import { createFields } from './sections/create-fields.js';
import { customers } from './sections/customers.js';
import { delivery } from './sections/delivery.js';
import { documentObject } from './sections/document-object.js';
import { documentTypeList } from './sections/document-types.js';
import { donations } from './sections/donations.js';
import { errors } from './sections/error-catalogue.js';
import { events } from './sections/events.js';
import { faults } from './sections/faults.js';
import { generalRules } from './sections/general.js';
import { responseHeaders } from './sections/headers.js';
import { idempotency } from './sections/idempotency.js';
import { limits } from './sections/limits.js';
import { documentList } from './sections/list.js';
import { nothingLeft } from './sections/nothing-left.js';
import { openApi } from './sections/openapi.js';
import { orderOfChecks } from './sections/order-of-checks.js';
import { pages } from './sections/pages.js';
import { previews } from './sections/previews.js';
import { profile } from './sections/profile.js';
import { requestBodies } from './sections/request-bodies.js';
import { requestLog } from './sections/requests.js';
import { states } from './sections/states.js';
import { totals } from './sections/totals.js';
import { Suite } from './suite.js';

/**
 * The HTTP API, sentence by sentence, over HTTP against the whole running system. A test begins with the section of the
 * interface, or with the decision, that it checks (docs/http-api.md).
 */
describe('HTTP API', () => {
  const suite = new Suite();
  beforeAll(() => suite.start(), 180_000);
  afterAll(() => suite.stop(), 60_000);

  generalRules(suite);
  profile(suite);
  documentTypeList(suite);
  errors(suite);
  requestBodies(suite);
  createFields(suite);
  businessRules(suite);
  states(suite);
  totals(suite);
  documentObject(suite);
  idempotency(suite);
  nothingLeft(suite);
  orderOfChecks(suite);
  previews(suite);
  documentList(suite);
  cancelling(suite);
  customers(suite);
  allocation(suite);
  donations(suite);
  events(suite);
  requestLog(suite);
  delivery(suite);
  pages(suite);
  openApi(suite);
  authentication(suite);
  responseHeaders(suite);
  limits(suite);
  faults(suite);

  describe('all of it', () => {
    const nameOf = ({ method, path }: Route) => `${method} ${path}`;

    it('7 every code of the table of errors was answered in this suite', () => {
      expect(Object.keys(errorCatalogue).sort()).toEqual([...errorCodes].sort());
      expect(errorCodes.filter((code) => !suite.recording.saw(code))).toEqual([]);
    });

    it('4 every route was called with success', () => {
      expect(publicRoutes.filter((route) => !suite.recording.succeeded(route)).map(nameOf)).toEqual([]);
    });

    /** What any route with a key answers: the switch, the key, the limits, the business, and faults. */
    const onEveryRoute: readonly ErrorCode[] = [
      'api_disabled',
      'unauthorized',
      'key_revoked',
      'rate_limited',
      'business_archived',
      'external_provider_not_supported',
      'business_profile_incomplete',
      'subscription_required',
      'internal_error',
      'validation_error',
    ];
    it.each(publicRoutes.map((route) => [nameOf(route), route] as const))(
      '4 %s answered every refusal that it names',
      (_name, route) => {
        const expected: ErrorCode[] = [
          ...route.errors,
          ...(route.access === 'key' ? onEveryRoute : (['rate_limited', 'validation_error'] as const)),
          ...(route.scope === null ? [] : (['insufficient_scope'] as const)),
          ...(route.issues ? (['issuing_blocked_expenses_only'] as const) : []),
        ];
        expect(expected.filter((code) => !suite.recording.saw(code, route))).toEqual([]);
      },
    );

    it('every answer was held against what holds for all of them', () => {
      expect(suite.recording.exchanges).toBeGreaterThan(1_000);
    });
  });
});
