import {
  type AuthorityConnection,
  type Business,
  completeConnection,
  listConnections,
  type ReplyOf,
  retryAllocation,
  showBusiness,
  showConnection,
  startConnection,
  updateBusiness,
} from '@pinkas/contracts';
import { everyBusiness } from './business-commands.js';
import type { Ask, Command, Output, Progress } from './command.js';
import { orMissing, readId } from './given-values.js';
import { Refusal } from './refusal.js';
import { table } from './table.js';

/** How often it looks whether the owner has logged in. */
const lookEveryMs = 1_000;
const pageSize = 200;

const noBusiness = (id: string) => `No business has the id ${id}: pinkas business list shows them`;
const again = (id: string) => `start again with pinkas allocation connect ${id}`;

/** What the operator is told of a business that is connected now. */
function connectedOutput(business: Business, connection: AuthorityConnection | null): Output {
  const until = connection?.until ? `, until ${connection.until}` : '';
  return {
    json: connection ?? { business_id: business.id, state: 'connected' },
    text: `${business.name} is connected to the tax authority${until}`,
  };
}

/** Numbers are asked for only of a business that its settings call connected. */
async function markConnected(ask: Ask, business: Business): Promise<void> {
  if (business.tax_authority_connected) return;
  await ask(updateBusiness, { business_id: business.id, change: { tax_authority_connected: true } });
}

/** Completes a connection from the address that the owner's browser ended at. */
async function completeFrom(address: string, business: Business, ask: Ask): Promise<Output> {
  const given = URL.canParse(address) ? new URL(address).searchParams : undefined;
  const state = given?.get('state');
  if (!state) {
    throw new Refusal('--callback takes the whole address that the browser ended at, with code and state');
  }
  const { outcome, reason } = await ask(completeConnection, {
    business_id: business.id,
    state,
    code: given?.get('code') || null,
  });
  if (outcome === 'stale') {
    throw new Refusal(`That address was used, is too old, or is not this business's: ${again(business.id)}`);
  }
  if (outcome === 'failed')
    throw new Refusal(`${reason ?? 'It did not work.'} To try anew, ${again(business.id)}`);
  await markConnected(ask, business);
  const { connection } = await ask(showConnection, { business_id: business.id });
  return connectedOutput(business, connection);
}

/** Waits until the owner has logged in; at most as long as the address lives. */
async function waitUntilConnected(
  business: Business,
  started: ReplyOf<typeof startConnection>,
  ask: Ask,
  progress: Progress,
): Promise<Output> {
  const lifeMs = Date.parse(started.expires_at) - Date.parse(started.requested_at);
  const endMs = performance.now() + lifeMs;
  for (;;) {
    const { connection, request } = await ask(showConnection, { business_id: business.id });
    const isOurs = request?.requested_at === started.requested_at;
    if (connection && connection.connected_at >= started.requested_at) {
      return connectedOutput(business, connection);
    }
    if (request?.state === 'failed' && isOurs) {
      throw new Refusal(`${request.reason ?? 'It did not work.'} To try anew, ${again(business.id)}`);
    }
    if (!isOurs)
      throw new Refusal('Somebody has started another connection of this business: use that address');
    const leftMs = endMs - performance.now();
    if (leftMs <= 0) throw new Refusal(`Nobody logged in with that address in time: ${again(business.id)}`);
    progress.show(
      request?.state === 'used'
        ? 'The owner has logged in; asking the tax authority'
        : `Waiting for the owner to log in: ${Math.ceil(leftMs / 60_000)} minutes left`,
    );
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}

async function everyConnection(ask: Ask): Promise<AuthorityConnection[]> {
  const found: AuthorityConnection[] = [];
  let after: string | null = null;
  do {
    const page: ReplyOf<typeof listConnections> = await ask(listConnections, {
      ...(after === null ? {} : { after }),
      limit: pageSize,
    });
    found.push(...page.connections);
    after = page.next_after;
  } while (after !== null);
  return found;
}

/** What came of a retry, in a sentence. */
function retried(reply: ReplyOf<typeof retryAllocation>): Output {
  const { outcome, number, reason, next_attempt_at: next, document_id: id } = reply;
  switch (outcome) {
    case 'issued':
      return { json: reply, text: `The allocation number is ${number}; the PDF is made anew with it` };
    case 'refused':
      return {
        json: reply,
        text: `No number: ${reason}`,
        failure: `The tax authority refused: after a won objection, pinkas allocation retry ${id} asks again`,
      };
    case 'failed':
      return {
        json: reply,
        text: `No number yet: ${reason}`,
        failure: next
          ? `It is asked for again by itself at ${next}`
          : `It is not asked for again by itself: when that is mended, pinkas allocation retry ${id}`,
      };
    case 'not_retryable':
      return number === null
        ? { json: reply, text: `No number is asked for: ${reason}`, failure: 'There is nothing to retry' }
        : { json: reply, text: `The document has its allocation number: ${number}` };
  }
}

/** `pinkas allocation …` */
export const allocationCommands: readonly Command[] = [
  {
    noun: 'allocation',
    verb: 'connect',
    does: 'connects a business to the tax authority: shows the address at which its owner logs in, and waits for it',
    arguments: ['BUSINESS_ID'],
    options: {
      'no-wait': { value: null, meaning: 'only shows the address' },
      callback: {
        value: 'ADDRESS',
        meaning:
          'where the browser ended after the login, if that was no page of ours: completes the connection',
      },
    },
    run: async ({ arguments: { BUSINESS_ID }, options }, ask, progress) => {
      const id = readId(BUSINESS_ID, 'business list');
      const { business } = await orMissing(ask(showBusiness, { business_id: id }), noBusiness(id));
      if (options.callback !== undefined) return completeFrom(options.callback, business, ask);
      const started = await ask(startConnection, { business_id: id });
      const address = `The owner of ${business.name} logs in here, until ${started.expires_at}:\n${started.authorize_url}`;
      if (options['no-wait'] !== undefined) {
        return {
          json: { business_id: id, authorize_url: started.authorize_url, expires_at: started.expires_at },
          text: address,
        };
      }
      progress.say(
        `${address}\nIf the browser ends at a page that is not ours: pinkas allocation connect ${id} --callback 'ADDRESS'`,
      );
      return waitUntilConnected(business, started, ask, progress);
    },
  },
  {
    noun: 'allocation',
    verb: 'connections',
    does: 'lists how each business is connected to the tax authority',
    arguments: [],
    options: {},
    run: async (_given, ask) => {
      const businesses = await everyBusiness(ask);
      const connections = new Map((await everyConnection(ask)).map((one) => [one.business_id, one]));
      const rows = businesses
        .filter((business) => business.tax_authority_connected || connections.has(business.id))
        .map((business) => {
          const { state = 'never', since = null, until = null } = connections.get(business.id) ?? {};
          return { business_id: business.id, name: business.name, state, since, until };
        });
      return {
        json: rows,
        text:
          rows.length === 0
            ? 'No business is connected: pinkas allocation connect BUSINESS_ID connects one'
            : table(
                ['business', 'state', 'since', 'until', 'name'],
                rows.map((row) => [row.business_id, row.state, row.since ?? '–', row.until ?? '–', row.name]),
              ),
      };
    },
  },
  {
    noun: 'allocation',
    verb: 'retry',
    does: "asks for a document's allocation number now, also after it was refused or given up",
    arguments: ['DOCUMENT_ID'],
    options: {},
    run: async ({ arguments: { DOCUMENT_ID } }, ask) => {
      const id = readId(DOCUMENT_ID, 'queue dead');
      const missing = `No document with the id ${id} has reached the step of the allocation number: pinkas queue dead shows the steps that were given up`;
      return retried(await orMissing(ask(retryAllocation, { document_id: id }), missing));
    },
  },
];
