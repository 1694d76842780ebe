import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, jest } from '@jest/globals';
import {
  type AllocationOutcome,
  allocationSettled,
  type Business,
  completeConnection,
  endConnection,
  type IssuedDocument,
  numberRequired,
  startConnection,
} from '@pinkas/contracts';
import {
  eventually,
  exampleBusiness,
  exampleDocument,
  ServiceUnderTest,
  startServiceUnderTest,
} from '@pinkas/testkit';
import type { Selectable } from 'kysely';
import { AllocationModule, backgroundTasks } from '../src/allocation.module.js';
import { AllocationWorker } from '../src/attempt/allocation-worker.js';
import { AuthorityTokens } from '../src/authority/authority-tokens.js';
import type { AllocationConfig } from '../src/config.js';
import { ConnectionMonitor } from '../src/connection/connection-monitor.js';
import type { AllocationTable, AllocationTables } from '../src/db/allocation.tables.js';
import { migrations } from '../src/db/migrations.js';
import { type AuthoritySimulator, startAuthoritySimulator } from './authority-simulator.js';

/** Of the PDF that was made when a document was issued. */
export const artifact_sha256 = 'ab'.repeat(32);
/** Where the owners' browsers are sent back to; no server listens there. */
export const redirectUri = 'https://api.example.com/tax-authority/connected';
export const tokenEncryptionKey = Buffer.alloc(32, 7);

/** The allocation service against the simulator, with the events of issuing made by the test. */
export class AllocationUnderTest extends ServiceUnderTest<AllocationTables, AllocationConfig> {
  readonly business: Business = exampleBusiness();
  readonly tokenEncryptionKey = tokenEncryptionKey;
  /** The simulator and its folder. */
  authority!: AuthoritySimulator;
  folder!: string;
  readonly #today = this.clock.now.toISOString().slice(0, 10);
  readonly #settled = this.network.collect(allocationSettled);

  /** Moves the clock. */
  advanceClock(ms: number): void {
    this.clock.now = new Date(this.clock.now.getTime() + ms);
    for (const running of this.processes) {
      running.app.get(AllocationWorker).trigger();
      running.app.get(ConnectionMonitor).trigger();
    }
  }

  async issue(change?: Partial<IssuedDocument>, businessChange?: Partial<Business>): Promise<IssuedDocument> {
    const document = exampleDocument({
      business_id: businessChange?.id ?? this.business.id,
      date: this.#today,
      issued_at: this.clock.now.toISOString(),
      ...change,
    });
    const business = { ...this.business, ...businessChange };
    await this.network.publish(numberRequired, document.id, { document, business, artifact_sha256 });
    return document;
  }

  /** The allocation events of one document, oldest first. */
  settledOf(documentId: string): AllocationOutcome[] {
    return this.#settled.filter((event) => event.document.id === documentId).map((event) => event.allocation);
  }

  /** Waits for the n-th allocation event of a document. */
  settled(documentId: string, n = 1): Promise<AllocationOutcome> {
    return eventually(`allocation event ${n} of the document`, () => this.settledOf(documentId)[n - 1]);
  }

  row(documentId: string): Promise<Selectable<AllocationTable>> {
    return this.database.db
      .selectFrom('allocation')
      .selectAll()
      .where('document_id', '=', documentId)
      .executeTakeFirstOrThrow();
  }

  redeliverAll(): Promise<void> {
    return this.redeliver('issuing', 'allocation-required-numbers');
  }

  /** Connects a business as its owner would. */
  async connect(businessId: string): Promise<void> {
    const { authorize_url } = await this.network.call(startConnection, {
      business_id: businessId,
      user_name: 'Demo User',
    });
    const given = (await this.authority.approveAsOwner(authorize_url)).searchParams;
    const { outcome } = await this.network.call(completeConnection, {
      state: given.get('state') ?? '',
      code: given.get('code'),
    });
    if (outcome !== 'connected') {
      throw new Error(outcome);
    }
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.authority.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export async function startAllocation(
  options: {
    timeoutMs?: number;
    autoConnect?: boolean;
    proxyUrl?: string;
    lookUp?: 'on' | 'off';
    clientSecret?: string;
    tokenUrl?: (url: string) => string;
  } = {},
): Promise<AllocationUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'pinkas-authority-'));
  const authority = await startAuthoritySimulator(folder);
  const allocation = await startServiceUnderTest(AllocationUnderTest, {
    service: { name: 'allocation', module: AllocationModule, backgroundTasks },
    clock: { now: new Date() },
    migrations,
    config: {
      taxAuthorityUrl: authority.url,
      donationsUrl: `${authority.url}/Donations/v1`,
      taxAuthorityAuthorizeUrl: `${authority.url}/longtimetoken/oauth2/authorize`,
      taxAuthorityTokenUrl: (options.tokenUrl ?? String)(`${authority.url}/longtimetoken/oauth2/token`),
      taxAuthorityInformationUrl: authority.url,
      taxAuthorityDecisionsPath: 'InvoiceDecisionApi/v1',
      taxAuthorityLookUp: options.lookUp ?? 'off',
      taxAuthorityCreditNotes: 'ask',
      taxAuthorityTransmission: 'on',
      taxAuthorityRedirectUri: redirectUri,
      taxAuthorityProxyUrl: options.proxyUrl ?? '',
      taxAuthorityClientId: 'client',
      taxAuthorityClientSecret: options.clientSecret ?? 'secret',
      taxAuthorityTimeoutMs: options.timeoutMs ?? 25_000,
      taxAuthorityAutoConnect: options.autoConnect ?? true,
      tokenEncryptionKey,
      accountingSoftwareNumber: 99_999_999,
    },
  });
  return Object.assign(allocation, { authority, folder });
}

/** Ends the connection of a business when its next token is refused, before another one is asked for. */
export function endBeforeReplacing(allocation: AllocationUnderTest): void {
  const tokens = allocation.service.app.get(AuthorityTokens);
  const replace = tokens.replaceToken.bind(tokens);
  jest.spyOn(tokens, 'replaceToken').mockImplementationOnce(async (businessId, refused) => {
    const { ended } = await allocation.network.call(endConnection, { business_id: businessId });
    expect(ended).toBe(true);
    return replace(businessId, refused);
  });
}
