import { compile, completeConnection } from '@pinkas/contracts';
import {
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
  RpcClient,
} from '@pinkas/service-kit';
import { lockBusiness, updateBusinessSettings } from '../business/business.repository.js';
import type { GatewayTables } from '../business/business.tables.js';
import { HttpPage, type PageReply, type PageRequest } from '../http/http-page.js';
import { htmlHeaders } from './page-headers.js';
import { plainPage } from './plain-page.js';

const texts = {
  connected: {
    status: 200,
    he: 'העסק מחובר לרשות המסים',
    heMore: 'אפשר לסגור את החלון. מספרי הקצאה יתבקשו מעתה באופן אוטומטי.',
    en: 'The business is connected to the tax authority',
    enMore: 'You may close this window. Allocation numbers are asked for by themselves from now on.',
  },
  stale: {
    status: 410,
    he: 'הקישור כבר נוצל או שאינו בתוקף',
    heMore: 'יש להתחיל את החיבור מחדש.',
    en: 'This link was used or is too old',
    enMore: 'Please start the connection again.',
  },
  failed: {
    status: 502,
    he: 'החיבור לרשות המסים לא הושלם',
    heMore: 'לא התקבל אישור מרשות המסים. יש להתחיל את החיבור מחדש.',
    en: 'The business was not connected to the tax authority',
    enMore: 'The authority did not give its permission. Please start the connection again.',
  },
} as const;

const checkRequest = compile(completeConnection.request);

/**
 * Where the tax authority redirects an owner's browser, with a code and the state of the request. The state is the permission,
 * and the first visit uses it up. Neither is logged or shown.
 */
@HttpPage((config) => new URL(config.baseUrl).origin, '/tax-authority/connected')
export class ShowConnectedPage {
  constructor(
    private readonly rpc: RpcClient,
    @InjectDatabase() private readonly db: Database<GatewayTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  async handle({ query }: PageRequest): Promise<PageReply> {
    const outcome = await this.#outcomeOf(new URLSearchParams(query));
    const text = texts[outcome];
    const body = plainPage(
      text.en,
      `<main>
<div lang="he" dir="rtl"><h1>${text.he}</h1><p>${text.heMore}</p></div>
<hr>
<h1>${text.en}</h1><p>${text.enMore}</p>
</main>`,
    );
    return { status: text.status, headers: { ...htmlHeaders(body), 'cache-control': 'no-store' }, body };
  }

  async #outcomeOf(params: URLSearchParams): Promise<keyof typeof texts> {
    const request = checkRequest({ state: params.get('state') ?? '', code: params.get('code') || null });
    // No state of that form was created.
    if (!request.ok) {
      return 'stale';
    }
    try {
      const { outcome, business_id: id } = await this.rpc.call(completeConnection, request.value);
      if (outcome === 'connected' && id !== null) {
        await this.#markConnected(id);
      }
      return outcome;
    } catch (error) {
      this.logger.warn({ err: error }, 'tax authority connection failed');
      return 'failed';
    }
  }

  /** Allocation numbers are requested only for a business whose settings say that it is connected. */
  async #markConnected(id: string): Promise<void> {
    await forTenant(this.db, id)
      .transaction()
      .execute(async (trx) => {
        const business = await lockBusiness(trx, id);
        if (!business || business.tax_authority_connected) {
          return;
        }
        await updateBusinessSettings(trx, { ...business, tax_authority_connected: true }, this.clock.now());
      });
  }
}
