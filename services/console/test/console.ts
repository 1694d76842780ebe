import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  allowedCalls,
  type Business,
  type MemberRole,
  type ReplyOf,
  type RequestOf,
  sendNotice,
  showBusiness,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { exampleBusiness, ServiceUnderTest, startServiceUnderTest } from '@pinkas/testkit';
import type { ConsoleConfig } from '../src/config.js';
import { backgroundTasks, ConsoleModule } from '../src/console.module.js';
import type { ConsoleTables } from '../src/db/console.tables.js';
import { migrations } from '../src/db/migrations.js';
import { cookieNames } from '../src/http/cookies.js';
import { HttpServer } from '../src/http/http-server.js';
import { insertSession } from '../src/session/session.repository.js';
import { TestBrowser } from './browser.js';

export { type BrowserReply, TestBrowser } from './browser.js';

/** The version of settings that the fake of the gateway tells. */
export const versionOf = (business: Business): string =>
  createHash('sha256').update(JSON.stringify(business)).digest('hex');

/** A person of a test. */
export interface TestPerson {
  readonly id: string;
  readonly email: string;
}

/** The console on real servers. The test answers for the gateway and delivery; other services are away until a test answers for them. */
export class ConsoleUnderTest extends ServiceUnderTest<ConsoleTables, ConsoleConfig> {
  readonly origin: string = this.service.app.get(HttpServer, { strict: false }).origin;
  /** What the gateway knows; `addBusiness` adds to it, and a test may change it. */
  readonly businesses = new Map<string, Business>();
  /** Whether the kill switch lets changes through; a test may turn it off. */
  apiEnabled = true;
  /** The mails of the platform that delivery was asked to send. */
  readonly notices: RequestOf<typeof sendNotice>[] = [];
  /** The fake of delivery; a test may replace it. */
  sendNotice: (
    request: RequestOf<typeof sendNotice>,
  ) => ReplyOf<typeof sendNotice> | Promise<ReplyOf<typeof sendNotice>> = () => ({
    outcome: 'accepted',
    reason: null,
  });

  addBusiness(change?: Partial<Business>): Business {
    const added = exampleBusiness(change);
    this.businesses.set(added.id, added);
    return added;
  }

  /** Stores a person, and what they may do in which business. */
  async addPerson(
    roles: Readonly<Record<string, MemberRole>> = {},
    email = `p-${randomUUID()}@example.com`,
  ): Promise<TestPerson> {
    const { db } = this.database;
    const id = randomUUID();
    const now = this.clock.now;
    await db.insertInto('person').values({ id, email, language: null, created_at: now }).execute();
    for (const [business_id, role] of Object.entries(roles)) {
      await db
        .insertInto('membership')
        .values({ business_id, person_id: id, role, invited_by: null, invited_at: now })
        .execute();
    }
    return { id, email };
  }

  /** A browser in which no person is signed in. */
  browser(): TestBrowser {
    return new TestBrowser(this.origin);
  }

  /** A browser in which the person is signed in, with a fresh proof and the token of a page. */
  async signedIn(person: TestPerson): Promise<TestBrowser> {
    const browser = this.browser();
    const client = { userAgent: browser.headers['user-agent'] ?? '', network: '127.0.0.1' };
    const token = await insertSession(this.database.db, person.id, client, this.clock.now);
    browser.cookies.set(cookieNames(this.config).session, token);
    await browser.get('/account');
    return browser;
  }
}

/** Starts the console. */
export async function startConsole(change: Partial<ConsoleConfig> = {}): Promise<ConsoleUnderTest> {
  const console = await startServiceUnderTest(ConsoleUnderTest, {
    service: { name: 'console', module: ConsoleModule, backgroundTasks },
    clock: { now: new Date('2026-06-15T08:00:10Z') },
    migrations,
    config: {
      httpHost: '127.0.0.1',
      httpPort: 0,
      shutdownDelayMs: 0,
      trustedProxies: '127.0.0.1',
      consoleUrl: 'http://localhost:8090',
      cookieSecret: randomBytes(32),
      baseUrl: 'https://api.example.com/v1',
      viewUrlBase: 'https://api.example.com/d',
      docsUrl: 'https://api.example.com/docs',
      oidcIssuer: '',
      oidcName: 'OpenID',
      oidcClientId: '',
      oidcClientSecret: '',
      accountingSoftwareNumber: 99_999_999,
      softwareVendorTaxId: '',
      softwareVendorName: '',
      exportsMaxGib: 10,
      ...change,
    },
  });
  // Some are its own.
  const ofOthers = allowedCalls.console.filter(({ subject }) => !subject.startsWith('rpc.console.'));
  console.network.answerAway(ofOthers);
  console.network.answer(showBusiness, ({ business_id }) => {
    const business = console.businesses.get(business_id);
    if (!business) {
      throw new ApiError('not_found');
    }
    return {
      business,
      settings_version: versionOf(business),
      view_url_base: 'https://api.example.com/d',
      pdf_url_base: 'https://api.example.com/pdf',
      api_enabled: console.apiEnabled,
    };
  });
  console.network.answer(sendNotice, (request) => {
    console.notices.push(request);
    return console.sendNotice(request);
  });
  return console;
}
