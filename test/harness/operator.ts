import type { ApiKey, Business, BusinessChange, Contract, ReplyOf, RequestOf } from '@pinkas/contracts';
import { createBusiness, createKey } from '@pinkas/contracts';
import { connectNats, newContext, RpcClient, withContext } from '@pinkas/service-kit/client';
import { demoBusiness } from '@pinkas/testkit/examples';
import { requestsMax } from './limits.js';
import type { RunningStack } from './running-stack.js';

const askTimeoutMs = 30_000;

/** A business with a key of its own, to issue with. */
export interface Issuer {
  readonly business: Business;
  readonly key: string;
  readonly apiKey: ApiKey;
}

/** What a key may do; a limit that is `undefined` is the one that every key has by default. */
export type KeyOptions = {
  [Option in keyof Omit<RequestOf<typeof createKey>, 'business_id'>]?:
    | RequestOf<typeof createKey>[Option]
    | undefined;
};

/** Asks the operator's contracts directly: hundreds of businesses cost seconds, where the command takes one for each. */
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

  /** Makes a business, the demo's with these settings, and a key that no limit stops unless its options say so. */
  async newIssuer(settings: BusinessChange = {}, options: KeyOptions = {}): Promise<Issuer> {
    const { business } = await this.call(createBusiness, { business: { ...demoBusiness, ...settings } });
    this.stack.recordPersonalData(business);
    const { key, ...apiKey } = await this.newKey(business.id, options);
    return { business, key, apiKey };
  }

  async newKey(businessId: string, options: KeyOptions = {}): Promise<ApiKey & { key: string }> {
    const wanted = { per_minute: requestsMax, daily_documents: requestsMax, ...options };
    const said = Object.entries(wanted).filter(([, value]) => value !== undefined);
    const made = await this.call(createKey, { ...Object.fromEntries(said), business_id: businessId });
    this.stack.recordPersonalData(made);
    return made;
  }

  close(): Promise<void> {
    return this.nats.close();
  }
}
