import {
  createEndpoint,
  type EventType,
  eventTypes,
  isEventId,
  listEndpoints,
  listWebhookAttempts,
  removeEndpoint,
  resendWebhooks,
  rotateEndpointSecret,
  setEndpointEnabled,
  showBusiness,
  showEndpoint,
  testEndpoint,
  type WebhookEndpoint,
} from '@pinkas/contracts';
import { modeOfBook, testBookOf } from '@pinkas/domain';
import { modeOption, notFoundAs, readId, readMode } from './arguments.js';
import type { Call, Command, CommandInput } from './command.js';
import { table } from './table.js';
import { UsageError } from './usage-error.js';

const business = { value: 'ID', meaning: 'the business of the endpoint', required: true } as const;
const ids = 'webhook list --business ID';
/** How much of the log `show` prints. */
const shownAttempts = 10;

/** @throws UsageError for an unknown business: delivery itself would store an endpoint for any id. */
async function readBook({ options }: CommandInput, call: Call): Promise<string> {
  const id = readId(options.business, 'business list').toLowerCase();
  const mode = readMode(options.mode);
  await notFoundAs(
    call(showBusiness, { business_id: id }),
    `No business has the id ${id}: pinkas business list shows them`,
  );
  return mode === 'test' ? testBookOf(id) : id;
}

const readEndpoint = ({ arguments: { ID } }: CommandInput) => ({ endpoint_id: readId(ID, ids) });

/** Awaits a reply about the endpoint that the command names. */
const ofEndpoint = <T>(reply: Promise<T>, { arguments: { ID } }: CommandInput): Promise<T> =>
  notFoundAs(reply, `No endpoint has the id ${ID}: pinkas ${ids} shows them`);

function readTypes(text: string | undefined): EventType[] | undefined {
  if (text === undefined) {
    return undefined;
  }
  const known: readonly string[] = eventTypes;
  const requested = [...new Set(text.split(',').map((type) => type.trim()))];
  const unknown = requested.filter((type) => !known.includes(type));
  if (unknown.length > 0) {
    throw new UsageError(`--types takes ${eventTypes.join(',')} or some of them, not "${unknown.join(',')}"`);
  }
  return requested as EventType[];
}

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

/** `pinkas webhook …` */
export const webhookCommands: readonly Command[] = [
  {
    noun: 'webhook',
    verb: 'create',
    summary: 'creates an endpoint that gets the events of a business, and prints its secret, once',
    arguments: ['URL'],
    options: {
      business,
      mode: modeOption,
      types: { value: 'a,b', meaning: 'the types of event; default all' },
      description: { value: 'W', meaning: 'what it is' },
    },
    run: async (input, call) => {
      const { arguments: args, options } = input;
      const types = readTypes(options.types);
      const created = await call(createEndpoint, {
        business_id: await readBook(input, call),
        url: args.URL ?? '',
        ...(types === undefined ? {} : { types }),
        ...(options.description === undefined ? {} : { description: options.description }),
      });
      return {
        json: created,
        text: `${secretText(created.endpoint, created.secret)}\nTo send a test: pinkas webhook test ${created.endpoint.id}`,
      };
    },
  },
  {
    noun: 'webhook',
    verb: 'list',
    summary: 'lists the endpoints of a business, without their secrets',
    arguments: [],
    options: { business, mode: modeOption },
    run: async (input, call) => {
      const { endpoints } = await call(listEndpoints, { business_id: await readBook(input, call) });
      const rows = endpoints.map((endpoint) => [
        endpoint.id,
        endpoint.url,
        stateOf(endpoint),
        pendingOf(endpoint),
        endpoint.types?.join(',') ?? 'all',
        endpoint.description ?? '–',
      ]);
      return {
        json: endpoints,
        text:
          rows.length === 0
            ? 'The book has no endpoint: pinkas webhook create URL --business ID creates one'
            : table(['id', 'address', 'state', 'waiting', 'types', 'description'], rows),
      };
    },
  },
  {
    noun: 'webhook',
    verb: 'show',
    summary: `shows an endpoint with its last ${shownAttempts} attempts`,
    arguments: ['ID'],
    options: {},
    run: async (input, call) => {
      const named = readEndpoint(input);
      const { endpoint } = await ofEndpoint(call(showEndpoint, named), input);
      const { attempts } = await call(listWebhookAttempts, { ...named, limit: shownAttempts });
      const rows = attempts.map((attempt) => [
        attempt.started_at,
        attempt.event_id,
        attempt.type,
        String(attempt.n),
        attempt.received ? 'received' : 'failed',
        `${attempt.duration_ms} ms`,
        attempt.reason ?? '–',
      ]);
      const facts = [
        `${endpoint.url} (${modeOfBook(endpoint.business_id)} book)`,
        `${stateOf(endpoint)}; ${pendingOf(endpoint)} waiting; last received ${endpoint.last_received_at ?? 'never'}`,
        ...(endpoint.last_failure
          ? [`last failure ${endpoint.last_failure.at}: ${endpoint.last_failure.reason}`]
          : []),
      ].join('\n');
      return {
        json: { endpoint, attempts },
        text:
          rows.length === 0
            ? `${facts}\nNothing was sent yet`
            : `${facts}\n\n${table(['at', 'event', 'type', 'attempt', 'outcome', 'took', 'reason'], rows)}`,
      };
    },
  },
  ...([true, false] as const).map(
    (enabled): Command => ({
      noun: 'webhook',
      verb: enabled ? 'enable' : 'disable',
      summary: enabled
        ? 'sends to an endpoint again, from now on'
        : 'stops what is sent to an endpoint; what waits for it stays',
      arguments: ['ID'],
      options: {},
      run: async (input, call) => {
        const named = readEndpoint(input);
        const { endpoint } = await ofEndpoint(call(setEndpointEnabled, { ...named, enabled }), input);
        const more = enabled
          ? `. To send what it missed: pinkas webhook resend ${endpoint.id} --since INSTANT`
          : '';
        return { json: endpoint, text: `${endpoint.url} is ${enabled ? 'enabled' : 'disabled'}${more}` };
      },
    }),
  ),
  {
    noun: 'webhook',
    verb: 'remove',
    summary: 'removes an endpoint with its log and what waits for it',
    arguments: ['ID'],
    options: {},
    run: async (input, call) => {
      const { endpoint } = await ofEndpoint(call(removeEndpoint, readEndpoint(input)), input);
      return { json: endpoint, text: `${endpoint.url} is removed` };
    },
  },
  {
    noun: 'webhook',
    verb: 'rotate',
    summary: 'gives an endpoint another secret and prints it, once; the one before is valid for 24 hours',
    arguments: ['ID'],
    options: {},
    run: async (input, call) => {
      const rotated = await ofEndpoint(call(rotateEndpointSecret, readEndpoint(input)), input);
      return {
        json: rotated,
        text: `${secretText(rotated.endpoint, rotated.secret)}\nThe one before signs as well until ${rotated.endpoint.previous_secret_until}`,
      };
    },
  },
  {
    noun: 'webhook',
    verb: 'test',
    summary: 'sends an event endpoint.test to an endpoint',
    arguments: ['ID'],
    options: {},
    run: async (input, call) => {
      const sent = await ofEndpoint(call(testEndpoint, readEndpoint(input)), input);
      return {
        json: sent,
        text: `${sent.event_id} is being sent: pinkas webhook show ${input.arguments.ID} shows the answer`,
      };
    },
  },
  {
    noun: 'webhook',
    verb: 'resend',
    summary: 'sends an endpoint one event again, or all that it has not received since an instant',
    arguments: ['ID'],
    options: {
      event: { value: 'evt_…', meaning: 'the event; it is sent again if it was received as well' },
      since: { value: 'INSTANT', meaning: 'such as 2026-03-01T00:00:00Z' },
    },
    run: async (input, call, progress) => {
      const { event, since } = input.options;
      if ((event === undefined) === (since === undefined)) {
        throw new UsageError('webhook resend takes either --event or --since');
      }
      const named = readEndpoint(input);
      if (event !== undefined) {
        if (!isEventId(event)) {
          throw new UsageError(`"${event}" is not the id of an event: pinkas webhook show ID shows them`);
        }
        const one = await notFoundAs(
          call(resendWebhooks, { ...named, event_id: event }),
          'There is no such endpoint, or no such event in its book',
        );
        return { json: one, text: `${event} is being sent again` };
      }
      const from = new Date(since ?? '');
      if (Number.isNaN(from.getTime())) {
        throw new UsageError(`--since takes an instant such as 2026-03-01T00:00:00Z, not "${since}"`);
      }
      let resent = 0;
      let after: number | null = 0;
      while (after !== null) {
        const request = { ...named, since: from.toISOString(), after };
        const page: { resent: number; next_after: number | null } = await ofEndpoint(
          call(resendWebhooks, request),
          input,
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
    },
  },
];
