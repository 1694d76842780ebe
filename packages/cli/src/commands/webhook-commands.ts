import {
  createEndpoint,
  eventTypes,
  isEventId,
  listEndpoints,
  listWebhookAttempts,
  type ReplyOf,
  removeEndpoint,
  resendWebhooks,
  rotateEndpointSecret,
  setEndpointEnabled,
  showEndpoint,
  testEndpoint,
  type WebhookAttempt,
  type WebhookEndpoint,
} from '@pinkas/contracts';
import { modeOfBook } from '@pinkas/domain';
import { anyText, businessId, given, idFrom, modeOption, someOf } from '../builder/arguments.js';
import { findBook, notFoundAs } from '../builder/calls.js';
import type { Call, Command, Output, Progress } from '../builder/command.js';
import { listed } from '../builder/table.js';
import { UsageError } from '../builder/usage-error.js';
import { callVerb, verb } from '../builder/verb.js';

const business = {
  value: 'ID',
  meaning: 'the business of the endpoint',
  required: true,
  kind: businessId,
} as const;
const ids = 'webhook list --business ID';
/** How much of the log `show` prints. */
const shownAttempts = 10;

/** The verbs of one endpoint. */
const ofEndpoint = {
  arguments: { ID: idFrom(ids) },
  request: ({ ID }: { ID: string }) => ({ endpoint_id: ID }),
  missing: ({ ID }: { ID: string }) => `No endpoint has the id ${ID}: pinkas ${ids} shows them`,
};

function stateOf({ enabled, disabled_reason, failing_since }: WebhookEndpoint): string {
  if (!enabled) {
    const reasons = { owner: '', gone: ', its answer was 410', failing: ', it failed for five days' };
    return `disabled${reasons[disabled_reason ?? 'owner']}`;
  }
  return failing_since === null ? 'enabled' : `failing since ${failing_since}`;
}

const pendingOf = ({ pending }: WebhookEndpoint) => (pending === 1_000 ? '1,000 or more' : String(pending));

const secretText = (endpoint: WebhookEndpoint, secret: string) =>
  `${secret}\n\nThis is the secret of ${endpoint.url}. It is not shown again: store it now.`;

const attemptCells: Readonly<Record<string, (attempt: WebhookAttempt) => string>> = {
  at: (attempt) => attempt.started_at,
  event: (attempt) => attempt.event_id,
  type: ({ type }) => type,
  attempt: ({ n }) => String(n),
  outcome: ({ received }) => (received ? 'received' : 'failed'),
  took: (attempt) => `${attempt.duration_ms} ms`,
  reason: ({ reason }) => reason ?? '–',
};

function shownOutput(endpoint: WebhookEndpoint, attempts: readonly WebhookAttempt[]): Output {
  const { url, business_id, last_failure: failure, last_received_at: received } = endpoint;
  const facts = [
    `${url} (${modeOfBook(business_id)} book)`,
    `${stateOf(endpoint)}; ${pendingOf(endpoint)} waiting; last received ${received ?? 'never'}`,
    ...(failure ? [`last failure ${failure.at}: ${failure.reason}`] : []),
  ].join('\n');
  return {
    json: { endpoint, attempts },
    text:
      attempts.length === 0
        ? `${facts}\nNothing was sent yet`
        : `${facts}\n\n${listed(attempts, attemptCells, '').text}`,
  };
}

async function resendEvent(call: Call, endpoint_id: string, event: string): Promise<Output> {
  if (!isEventId(event)) {
    throw new UsageError(`"${event}" is not the id of an event: pinkas webhook show ID shows them`);
  }
  const json = await notFoundAs(
    call(resendWebhooks, { endpoint_id, event_id: event }),
    'There is no such endpoint, or no such event in its book',
  );
  return { json, text: `${event} is being sent again` };
}

async function resendSince(call: Call, ID: string, instant: string, progress: Progress): Promise<Output> {
  const from = new Date(instant);
  if (Number.isNaN(from.getTime())) {
    throw new UsageError(`--since takes an instant such as 2026-03-01T00:00:00Z, not "${instant}"`);
  }
  let resent = 0;
  let after: number | null = 0;
  while (after !== null) {
    const request = { endpoint_id: ID, since: from.toISOString(), after };
    const page: ReplyOf<typeof resendWebhooks> = await notFoundAs(
      call(resendWebhooks, request),
      ofEndpoint.missing({ ID }),
    );
    resent += page.resent;
    after = page.next_after;
    progress.show(`${resent.toLocaleString('en-US')} events to be sent`);
  }
  return {
    json: { resent },
    text:
      resent === 0
        ? 'It has received everything since then'
        : `${resent} ${resent === 1 ? 'event is' : 'events are'} being sent`,
  };
}

/** `pinkas webhook …` */
export const webhookCommands: readonly Command[] = [
  callVerb('webhook create', {
    summary: 'creates an endpoint that gets the events of a business, and prints its secret, once',
    arguments: { URL: anyText },
    options: {
      business,
      mode: modeOption,
      types: { value: 'a,b', meaning: 'the types of event; default all', kind: someOf(eventTypes) },
      description: { value: 'W', meaning: 'what it is' },
    },
    contract: createEndpoint,
    request: async ({ URL, mode, types, description, ...values }, call) => ({
      business_id: await findBook(call, values.business.toLowerCase(), mode),
      url: URL,
      ...given({ types, description }),
    }),
    print: ({ endpoint, secret }) =>
      `${secretText(endpoint, secret)}\nTo send a test: pinkas webhook test ${endpoint.id}`,
  }),
  callVerb('webhook list', {
    summary: 'lists the endpoints of a business, without their secrets',
    options: { business, mode: modeOption },
    contract: listEndpoints,
    request: async ({ mode, ...values }, call) => ({
      business_id: await findBook(call, values.business.toLowerCase(), mode),
    }),
    print: ({ endpoints }) =>
      listed(
        endpoints,
        {
          id: ({ id }) => id,
          address: ({ url }) => url,
          state: stateOf,
          waiting: pendingOf,
          types: ({ types }) => types?.join(',') ?? 'all',
          description: ({ description }) => description ?? '–',
        },
        'The book has no endpoint: pinkas webhook create URL --business ID creates one',
      ),
  }),
  verb('webhook show', {
    summary: `shows an endpoint with its last ${shownAttempts} attempts`,
    arguments: ofEndpoint.arguments,
    run: async (named, call) => {
      const request = ofEndpoint.request(named);
      const { endpoint } = await notFoundAs(call(showEndpoint, request), ofEndpoint.missing(named));
      const { attempts } = await call(listWebhookAttempts, { ...request, limit: shownAttempts });
      return shownOutput(endpoint, attempts);
    },
  }),
  callVerb('webhook enable', {
    ...ofEndpoint,
    summary: 'sends to an endpoint again, from now on',
    contract: setEndpointEnabled,
    request: ({ ID }) => ({ endpoint_id: ID, enabled: true }),
    print: ({ endpoint }) => ({
      json: endpoint,
      text: `${endpoint.url} is enabled. To send what it missed: pinkas webhook resend ${endpoint.id} --since INSTANT`,
    }),
  }),
  callVerb('webhook disable', {
    ...ofEndpoint,
    summary: 'stops what is sent to an endpoint; what waits for it stays',
    contract: setEndpointEnabled,
    request: ({ ID }) => ({ endpoint_id: ID, enabled: false }),
    print: ({ endpoint }) => ({ json: endpoint, text: `${endpoint.url} is disabled` }),
  }),
  callVerb('webhook remove', {
    ...ofEndpoint,
    summary: 'removes an endpoint with its log and what waits for it',
    contract: removeEndpoint,
    print: ({ endpoint }) => ({ json: endpoint, text: `${endpoint.url} is removed` }),
  }),
  callVerb('webhook rotate', {
    ...ofEndpoint,
    summary: 'gives an endpoint another secret and prints it, once; the one before is valid for 24 hours',
    contract: rotateEndpointSecret,
    print: ({ endpoint, secret }) =>
      `${secretText(endpoint, secret)}\nThe one before signs as well until ${endpoint.previous_secret_until}`,
  }),
  callVerb('webhook test', {
    ...ofEndpoint,
    summary: 'sends an event endpoint.test to an endpoint',
    contract: testEndpoint,
    print: ({ event_id }, { ID }) => `${event_id} is being sent: pinkas webhook show ${ID} shows the answer`,
  }),
  verb('webhook resend', {
    summary: 'sends an endpoint one event again, or all that it has not received since an instant',
    arguments: ofEndpoint.arguments,
    options: {
      event: { value: 'evt_…', meaning: 'the event; it is sent again if it was received as well' },
      since: { value: 'INSTANT', meaning: 'such as 2026-03-01T00:00:00Z' },
    },
    run: async ({ ID, event, since }, call, progress) => {
      if ((event === undefined) === (since === undefined)) {
        throw new UsageError('webhook resend takes either --event or --since');
      }
      return event === undefined
        ? resendSince(call, ID, since ?? '', progress)
        : resendEvent(call, ID, event);
    },
  }),
];
