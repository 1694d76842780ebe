import type { ApiKey, Business, BusinessChange, Contract, ReplyOf, RequestOf } from '@pinkas/contracts';
import { createBusiness, createKey } from '@pinkas/contracts';
import { connectNats, newContext, RpcClient, withContext } from '@pinkas/service-kit/client';
import { demoBusiness } from '@pinkas/testkit/examples';
import type { Issuer, RunningStack } from '../harness/running-stack.js';

const askTimeoutMs = 30_000;

/** The operator's contracts, asked directly: hundreds of businesses cost seconds, where the command takes one for each. */
export class Operator {
  private constructor(
    private readonly stack: RunningStack,
    private readonly nats: Awaited<ReturnType<typeof connectNats>>,
    private readonly rpc: RpcClient,
  ) {}

  static async at(stack: RunningStack): Promise<Operator> {
    const nats = await connectNats((await stack.file()).nats_url, 'test');
    return new Operator(stack, nats, new RpcClient(nats));
  }

  call<C extends Contract>(contract: C, request: RequestOf<C>): Promise<ReplyOf<C>> {
    return withContext(newContext(askTimeoutMs), () => this.rpc.call(contract, request));
  }

  /** Makes a business with a key that the limit of a minute does not stop. */
  async newIssuer(
    settings: BusinessChange = {},
    dailyDocuments = 1_000_000,
  ): Promise<Issuer & { apiKey: ApiKey }> {
    const { business }: { business: Business } = await this.call(createBusiness, {
      business: { ...demoBusiness, ...settings },
    });
    const { key, ...apiKey } = await this.call(createKey, {
      business_id: business.id,
      per_minute: 1_000_000,
      daily_documents: dailyDocuments,
    });
    this.stack.recordPersonalData({ business, key });
    return { business, key, apiKey };
  }

  close(): Promise<void> {
    return this.nats.close();
  }
}
