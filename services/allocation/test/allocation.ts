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
  streamOf,
} from '@pinkas/contracts';
import { type RunningService, startService } from '@pinkas/service-kit';
import { type ServiceConfig } from '@pinkas/service-kit/config';
import {
  eventually,
  exampleBusiness,
  exampleDocument,
  type ServiceUnderTest,
  serviceConfig,
  startServiceUnderTest,
} from '@pinkas/testkit';
import type { Selectable } from 'kysely';
import type { AllocationTable, AllocationTables } from '../src/allocation/allocation.tables.js';
import { AllocationWorker } from '../src/allocation/allocation-worker.js';
import { AllocationModule, backgroundTasks } from '../src/allocation.module.js';
import type { AllocationConfig } from '../src/config.js';
import { AuthorityTokens } from '../src/connection/authority-tokens.js';
import { ConnectionMonitor } from '../src/connection/connection-monitor.js';
import { migrations } from '../src/db/migrations.js';
import { type AuthoritySimulator, startAuthoritySimulator } from './authority-simulator.js';

/** The allocation service against the simulator, with the events of issuing made by the test. */
export interface AllocationUnderTest extends ServiceUnderTest<AllocationTables> {
  authority: AuthoritySimulator;
  business: Business;
  clock: { now: Date };
  tokenEncryptionKey: Buffer;
  /** Moves the clock. */
  advanceClock(ms: number): void;
  issue(document?: Partial<IssuedDocument>, business?: Partial<Business>): Promise<IssuedDocument>;
  /** The allocation events of one document, oldest first. */
  settledOf(documentId: string): AllocationOutcome[];
  /** Waits for the n-th allocation event of a document. */
  settled(documentId: string, n?: number): Promise<AllocationOutcome>;
  row(documentId: string): Promise<Selectable<AllocationTable>>;
  /** Makes the server forget the consumer, so that every event comes again; waits until all were taken. */
  redeliverAll(): Promise<void>;
  /** Starts one more service on the same database, NATS and authority, with the same clock; it is stopped with this one. */
  startAnother(): Promise<RunningService>;
  /** Connects a business as its owner would. */
  connect(businessId: string): Promise<void>;
}

/** Where the owners' browsers are sent back to; no server listens there. */
/** Of the PDF that was made when a document was issued. */
export const artifact_sha256 = 'ab'.repeat(32);
export const redirectUri = 'https://api.example.com/tax-authority/connected';

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
  const clock = { now: new Date() };
  const tokenEncryptionKey = Buffer.alloc(32, 7);
  const others: RunningService[] = [];
  const service = {
    name: 'allocation',
    module: AllocationModule,
    backgroundTasks,
    clock: { now: () => clock.now },
  } as const;
  const own: Omit<AllocationConfig, keyof ServiceConfig> = {
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
  };
  const tested = await startServiceUnderTest<AllocationTables, AllocationConfig>({
    service,
    migrations,
    config: own,
  });
  const { network } = tested;
  const business = exampleBusiness();
  const settledEvents = network.collect(allocationSettled);
  const today = clock.now.toISOString().slice(0, 10);
  const made: AllocationUnderTest = {
    ...tested,
    authority,
    business,
    clock,
    tokenEncryptionKey,
    advanceClock: (ms) => {
      clock.now = new Date(clock.now.getTime() + ms);
      for (const running of [tested.service, ...others]) {
        running.app.get(AllocationWorker).trigger();
        running.app.get(ConnectionMonitor).trigger();
      }
    },
    issue: async (change, businessChange) => {
      const document = exampleDocument({
        business_id: businessChange?.id ?? business.id,
        date: today,
        issued_at: clock.now.toISOString(),
        ...change,
      });
      await network.publish(numberRequired, document.id, {
        document,
        business: { ...business, ...businessChange },
        artifact_sha256,
      });
      return document;
    },
    settledOf: (documentId) =>
      settledEvents.filter((event) => event.document.id === documentId).map((event) => event.allocation),
    settled: (documentId, n = 1) =>
      eventually(`allocation event ${n} of the document`, () => made.settledOf(documentId)[n - 1]),
    row: (documentId) =>
      tested.database.db
        .selectFrom('allocation')
        .selectAll()
        .where('document_id', '=', documentId)
        .executeTakeFirstOrThrow(),
    redeliverAll: async () => {
      const stream = streamOf('issuing').name;
      const { consumers } = await network.streamManager();
      await consumers.delete(stream, 'allocation-required-numbers');
      await eventually('every event was taken again', async () => {
        const found = await consumers.info(stream, 'allocation-required-numbers');
        return found.delivered.stream_seq > 0 && found.num_pending === 0 && found.num_ack_pending === 0;
      });
    },
    startAnother: async () => {
      const servers = { natsUrl: tested.nats.url, databaseUrl: tested.database.url };
      const other = await startService({ ...service, config: { ...serviceConfig(servers), ...own } });
      others.push(other);
      return other;
    },
    connect: async (businessId) => {
      const { authorize_url } = await network.call(startConnection, {
        business_id: businessId,
        user_name: 'Demo User',
      });
      const given = (await authority.approveAsOwner(authorize_url)).searchParams;
      const { outcome } = await network.call(completeConnection, {
        state: given.get('state') ?? '',
        code: given.get('code'),
      });
      if (outcome !== 'connected') {
        throw new Error(outcome);
      }
    },
    stop: async () => {
      await Promise.all(others.map((other) => other.stop()));
      await tested.stop();
      await authority.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return made;
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
