import { compile, completeConnection, markConnected } from '@pinkas/contracts';
import { InjectLogger, type Logger, RpcClient } from '@pinkas/service-kit';
import { HttpPage, type PageReply, type PageRequest } from '../http/http-page.js';
import { htmlHeaders } from '../http/page-headers.js';
import { type Message, messagePage } from '../http/plain-page.js';

const outcomes = {
  connected: {
    status: 200,
    he: {
      title: 'העסק מחובר לרשות המסים',
      more: 'אפשר לסגור את החלון. מספרי הקצאה יתבקשו מעתה באופן אוטומטי.',
    },
    en: {
      title: 'The business is connected to the tax authority',
      more: 'You may close this window. From now on, allocation numbers are requested automatically.',
    },
  },
  stale: {
    status: 410,
    he: { title: 'הקישור כבר נוצל או שאינו בתוקף', more: 'יש להתחיל את החיבור מחדש.' },
    en: { title: 'This link was used or is too old', more: 'Please start the connection again.' },
  },
  failed: {
    status: 502,
    he: {
      title: 'החיבור לרשות המסים לא הושלם',
      more: 'לא התקבל אישור מרשות המסים. יש להתחיל את החיבור מחדש.',
    },
    en: {
      title: 'The business was not connected to the tax authority',
      more: 'The authority did not give its permission. Please start the connection again.',
    },
  },
} as const satisfies Record<string, Message & { readonly status: PageReply['status'] }>;

const checkRequest = compile(completeConnection.request);

/**
 * Where the tax authority redirects an owner's browser, with a code and the state of the request. What a person began in the
 * console is completed there, since only the console can say who uses the browser. What the operator began is completed here: the
 * state is the permission, and the first visit uses it up. Neither is logged or shown.
 */
@HttpPage((config) => new URL(config.baseUrl).origin, '/tax-authority/connected')
export class ShowConnectedPage {
  constructor(
    private readonly rpc: RpcClient,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  async handle({ query }: PageRequest): Promise<PageReply> {
    const outcome = await this.#outcomeOf(query);
    if (outcome instanceof URL) {
      return {
        status: 303,
        headers: { ...htmlHeaders(''), 'cache-control': 'no-store', location: outcome.href },
        body: '',
      };
    }
    const body = messagePage(outcomes[outcome]);
    const headers = { ...htmlHeaders(body), 'cache-control': 'no-store' };
    return { status: outcomes[outcome].status, headers, body };
  }

  /** @returns the text to show, or where else the connection is completed. */
  async #outcomeOf(params: URLSearchParams): Promise<keyof typeof outcomes | URL> {
    const request = checkRequest({ state: params.get('state') ?? '', code: params.get('code') || null });
    // No state of that form was created.
    if (!request.ok) {
      return 'stale';
    }
    try {
      const reply = await this.rpc.call(completeConnection, request.value);
      if (reply.outcome === 'other_person') {
        const console = new URL(reply.return_url ?? '');
        console.search = params.toString();
        return console;
      }
      if (reply.outcome !== 'connected' || reply.business_id === null) {
        return reply.outcome === 'failed' ? 'failed' : 'stale';
      }
      const { connected } = await this.rpc.call(markConnected, { business_id: reply.business_id });
      return connected ? 'connected' : 'stale';
    } catch (error) {
      this.logger.warn({ err: error }, 'tax authority connection failed');
      return 'failed';
    }
  }
}
