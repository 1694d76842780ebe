import type { ApiKey, Business, BusinessChange, Contract, ReplyOf, RequestOf } from '@pinkas/contracts';
import { createBusiness, createKey } from '@pinkas/contracts';
import { connectNats, newContext, Peers, withContext } from '@pinkas/service-kit/asking';
import type { Issuer, RunningStack } from '../running-stack.js';

const askTimeoutMs = 30_000;

/** Plain demo data: a company that may issue every type. */
const company: BusinessChange = {
  name: 'עסק לדוגמה בע"מ',
  legal_type: 'hevra_baam',
  tax_id: '514713288',
  address: 'רחוב הדוגמה 1',
  city: 'תל אביב',
};

/** The operator's contracts, asked directly: hundreds of businesses cost seconds, where the command takes one for each. */
export class Operator {
  private constructor(
    private readonly stack: RunningStack,
    private readonly nats: Awaited<ReturnType<typeof connectNats>>,
  ) {}

  static async at(stack: RunningStack): Promise<Operator> {
    return new Operator(stack, await connectNats((await stack.file()).nats_url, 'test'));
  }

  ask<C extends Contract>(contract: C, request: RequestOf<C>): Promise<ReplyOf<C>> {
    return withContext(newContext(askTimeoutMs), () => new Peers(this.nats).ask(contract, request));
  }

  /** Makes a business with a key that the limit of a minute does not stop. */
  async newIssuer(
    settings: BusinessChange = {},
    dailyDocuments = 1_000_000,
  ): Promise<Issuer & { apiKey: ApiKey }> {
    const { business }: { business: Business } = await this.ask(createBusiness, {
      business: { ...company, ...settings },
    });
    const { key, ...apiKey } = await this.ask(createKey, {
      business_id: business.id,
      per_minute: 1_000_000,
      daily_documents: dailyDocuments,
    });
    this.stack.sent({ business, key });
    return { business, key, apiKey };
  }

  close(): Promise<void> {
    return this.nats.close();
  }
}
