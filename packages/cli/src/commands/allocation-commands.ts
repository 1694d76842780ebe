import {
  type AuthorityConnection,
  type Business,
  completeConnection,
  endConnection,
  listConnections,
  markConnected,
  type ReplyOf,
  retryAllocation,
  showConnection,
  startConnection,
  updateBusiness,
} from '@pinkas/contracts';
import { hasValidCheckDigit, normaliseTaxId } from '@pinkas/domain';
import { allOf } from '@pinkas/exports/verify';
import { businessId, idFrom } from '../builder/arguments.js';
import { findBusiness } from '../builder/calls.js';
import type { Call, Command, Output, Progress } from '../builder/command.js';
import { listed } from '../builder/table.js';
import { RefusalError, UsageError } from '../builder/usage-error.js';
import { callVerb, verb } from '../builder/verb.js';
import { listAllBusinesses } from './business-commands.js';
import { numberCommands } from './number-commands.js';

/** How often the connection is polled while the owner logs in. */
const pollMs = 1_000;
const pageSize = 200;

const restart = (id: string) => `run pinkas allocation connect ${id} again`;

/** The output for a business that is connected. */
function connectedOutput(business: Business, connection: AuthorityConnection | null): Output {
  const until = connection?.until ? `, until ${connection.until}` : '';
  return {
    json: connection ?? { business_id: business.id, state: 'connected' },
    text: `${business.name} is connected to the tax authority${until}`,
  };
}

/** Who issues, to the authority: a person, never the company. @throws UsageError unless it is named in one way that the authority takes. */
function personFrom(
  given: string | undefined,
  id: string | undefined,
): { user_name: string } | { user_id: string } {
  if ((given === undefined) === (id === undefined)) {
    throw new UsageError(
      'Name the person who logs in: --user-name NAME (at most 25 characters) or --user-id ID (an identity number)',
    );
  }
  if (id !== undefined) {
    if (!hasValidCheckDigit(id)) {
      throw new UsageError('--user-id takes the identity number of a person, with its check digit');
    }
    return { user_id: normaliseTaxId(id) };
  }
  const name = given?.trim() ?? '';
  if (name.length > 25 || !/[^\s0]/.test(name)) {
    throw new UsageError('--user-name takes the name of a person, of 1 to 25 characters');
  }
  return { user_name: name };
}

/** Completes a connection from the URL at which the owner's browser ended. */
async function completeFrom(address: string, business: Business, call: Call): Promise<Output> {
  const query = URL.parse(address)?.searchParams;
  const state = query?.get('state');
  if (!state) {
    throw new UsageError(
      '--callback takes the whole address at which the browser ended, with code and state',
    );
  }
  const { outcome, reason } = await call(completeConnection, {
    business_id: business.id,
    state,
    code: query?.get('code') || null,
  });
  if (outcome === 'stale') {
    throw new RefusalError(
      `The address was used already, has expired, or belongs to another business: ${restart(business.id)}`,
    );
  }
  if (outcome === 'other_person') {
    throw new RefusalError(
      `A person began this connection in the console, and alone completes it there: or ${restart(business.id)}`,
    );
  }
  if (outcome === 'failed') {
    throw new RefusalError(`${reason ?? 'The connection failed.'} To retry, ${restart(business.id)}`);
  }
  await call(markConnected, { business_id: business.id });
  const { connection } = await call(showConnection, { business_id: business.id });
  return connectedOutput(business, connection);
}

/** Waits until the owner has logged in, or the address has expired. */
async function waitUntilConnected(
  business: Business,
  started: ReplyOf<typeof startConnection>,
  call: Call,
  progress: Progress,
): Promise<Output> {
  const validMs = Date.parse(started.expires_at) - Date.parse(started.requested_at);
  const endMs = performance.now() + validMs;
  for (;;) {
    const { connection, request } = await call(showConnection, { business_id: business.id });
    const isThisRequest = request?.requested_at === started.requested_at;
    if (connection && connection.connected_at >= started.requested_at) {
      return connectedOutput(business, connection);
    }
    if (request?.state === 'failed' && isThisRequest) {
      throw new RefusalError(
        `${request.reason ?? 'The connection failed.'} To retry, ${restart(business.id)}`,
      );
    }
    if (!isThisRequest) {
      throw new RefusalError('Another connection of this business was started: use its address');
    }
    const leftMs = endMs - performance.now();
    if (leftMs <= 0) {
      throw new RefusalError(`The owner did not log in before the address expired: ${restart(business.id)}`);
    }
    progress.show(
      request?.state === 'used'
        ? 'The owner has logged in; waiting for the tax authority'
        : `Waiting for the owner to log in: ${Math.ceil(leftMs / 60_000)} minutes left`,
    );
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** The output for the reply to a retry. */
function retried(reply: ReplyOf<typeof retryAllocation>): Output {
  const { outcome, number, reason, next_attempt_at: next, document_id: id } = reply;
  switch (outcome) {
    case 'issued':
      return { json: reply, text: `The allocation number is ${number}; the next revision of the PDF has it` };
    case 'refused':
      return {
        json: reply,
        text: `No number: ${reason}`,
        failure: `The tax authority refused: after a won objection, run pinkas allocation retry ${id}`,
      };
    case 'failed':
      return {
        json: reply,
        text: `No number yet: ${reason}`,
        failure: next
          ? `It is retried at ${next}`
          : `It is not retried: correct the cause, then run pinkas allocation retry ${id}`,
      };
    case 'not_retryable':
      return number === null
        ? { json: reply, text: `No number is requested: ${reason}`, failure: 'There is nothing to retry' }
        : { json: reply, text: `The document has its allocation number: ${number}` };
  }
}

interface ListedConnection {
  readonly business_id: string;
  readonly name: string;
  readonly state: string;
  readonly since: string | null;
  readonly until: string | null;
}

/** The businesses that are connected or should be. */
async function listConnectionsOfBusinesses(call: Call): Promise<ListedConnection[]> {
  const businesses = await listAllBusinesses(call);
  const found = await allOf(call, listConnections, { limit: pageSize }, ({ connections }) => connections);
  const connections = new Map(found.map((connection) => [connection.business_id, connection]));
  return businesses
    .filter((business) => business.tax_authority_connected || connections.has(business.id))
    .map((business) => {
      const { state = 'never', since = null, until = null } = connections.get(business.id) ?? {};
      return { business_id: business.id, name: business.name, state, since, until };
    });
}

/** `pinkas allocation …` */
export const allocationCommands: readonly Command[] = [
  ...numberCommands,
  verb('allocation connect', {
    summary:
      'connects a business to the tax authority: prints the address at which its owner logs in, and waits',
    arguments: { BUSINESS_ID: businessId },
    options: {
      'user-name': {
        value: 'NAME',
        meaning: 'who logs in and issues, to the authority: the name of a person, of at most 25 characters',
      },
      'user-id': { value: 'ID', meaning: 'the same, as the identity number of the person' },
      'no-wait': { value: null, meaning: 'prints the address and does not wait' },
      callback: {
        value: 'ADDRESS',
        meaning:
          'completes the connection from the address at which the browser ended, where that was not a page of this system',
      },
    },
    run: async ({ BUSINESS_ID: id, callback, ...options }, call, progress) => {
      const { business } = await findBusiness(call, id);
      if (callback !== undefined) {
        return completeFrom(callback, business, call);
      }
      const person = personFrom(options['user-name'], options['user-id']);
      const started = await call(startConnection, { business_id: id, ...person });
      const address = `The owner of ${business.name} logs in here, until ${started.expires_at}:\n${started.authorize_url}`;
      if (options['no-wait']) {
        return {
          json: { business_id: id, authorize_url: started.authorize_url, expires_at: started.expires_at },
          text: address,
        };
      }
      progress.print(
        `${address}\nIf the browser ends at a page of another system: pinkas allocation connect ${id} --callback 'ADDRESS'`,
      );
      return waitUntilConnected(business, started, call, progress);
    },
  }),
  verb('allocation disconnect', {
    summary:
      'ends the connection of a business to the tax authority: its tokens are deleted, and no number is requested',
    arguments: { BUSINESS_ID: businessId },
    run: async ({ BUSINESS_ID: id }, call) => {
      const { business } = await findBusiness(call, id);
      const { ended } = await call(endConnection, { business_id: id });
      if (business.tax_authority_connected) {
        await call(updateBusiness, { business_id: id, change: { tax_authority_connected: false } });
      }
      return {
        json: { business_id: id, ended },
        text: ended
          ? `${business.name} is no longer connected to the tax authority: documents are issued without an allocation number, and those whose number is pending await the next connection`
          : `${business.name} was not connected to the tax authority`,
      };
    },
  }),
  verb('allocation connections', {
    summary: 'lists the connections of the businesses to the tax authority',
    run: async (_values, call) =>
      listed(
        await listConnectionsOfBusinesses(call),
        {
          business: (connection) => connection.business_id,
          state: ({ state }) => state,
          since: ({ since }) => since ?? '–',
          until: ({ until }) => until ?? '–',
          name: ({ name }) => name,
        },
        'No business is connected: pinkas allocation connect BUSINESS_ID connects one',
      ),
  }),
  callVerb('allocation retry', {
    summary: "requests a document's allocation number now, also after a refusal or after the last attempt",
    arguments: { DOCUMENT_ID: idFrom('queue dead') },
    contract: retryAllocation,
    request: ({ DOCUMENT_ID }) => ({ document_id: DOCUMENT_ID }),
    missing: ({ DOCUMENT_ID }) =>
      `No document with the id ${DOCUMENT_ID} is known to the allocation service: pinkas queue dead lists dead-lettered work`,
    print: retried,
  }),
];
