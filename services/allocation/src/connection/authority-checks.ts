import { Injectable } from '@nestjs/common';
import type { Check } from '@pinkas/contracts';
import {
  acrossTenants,
  type Clock,
  type Database,
  InjectClock,
  InjectConfig,
  InjectDatabase,
} from '@pinkas/service-kit';
import { timeoutSignal } from '@pinkas/service-kit/concurrency';
import { isOnThisMachine } from '@pinkas/service-kit/config';
import { Diagnosis, daysText, failure, ok, warning, wrongInProduction } from '@pinkas/service-kit/diagnosis';
import { countAwaitingOperator, countDeadLettered } from '../attempt/allocation-list.repository.js';
import { AuthorityHttp } from '../authority/authority-http.js';
import { type ConnectionRow, connectionEnds } from '../authority/connection.repository.js';
import { connectionOf, expiringBefore } from '../authority/connection-state.js';
import type { AllocationConfig } from '../config.js';
import type { AllocationTables } from '../db/allocation.tables.js';

/** Within the time limit of a check. */
const answerTimeoutMs = 2_500;
/** How many businesses are named. */
const namedMax = 20;
const forbidden = 403;

/** What allocation reports to `pinkas doctor`: whether the authority answers, how old its tokens are, what waits for a person. */
@Injectable()
export class AuthorityChecks {
  readonly #all: Database<AllocationTables>;

  constructor(
    @InjectConfig() private readonly config: AllocationConfig,
    @InjectDatabase() db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly http: AuthorityHttp,
    diagnosis: Diagnosis,
  ) {
    this.#all = acrossTenants(db);
    diagnosis.add('configuration', () => [
      ok('configuration', 'TAX_AUTHORITY_CREDIT_NOTES', config.taxAuthorityCreditNotes),
    ]);
    diagnosis.add('authority', () => Promise.all(addressesOf(config).map((url) => this.#checkAnswer(url))));
    diagnosis.add('authority', () => [this.#checkEnvironment()]);
    diagnosis.add('authority', () => this.#checkConnections());
    diagnosis.add('authority', () => this.#checkWaiting());
  }

  /** Sends neither a token nor a document: any answer of the server will do. */
  async #checkAnswer(url: string): Promise<Check> {
    const subject = `authority at ${new URL(url).host}`;
    const remedy = 'docs/runbooks/authority-rejects-application.md';
    try {
      const { status } = await this.http.call(
        url,
        { method: 'GET', headers: {} },
        timeoutSignal(answerTimeoutMs),
      );
      if (status === forbidden) {
        return warning(
          'authority',
          subject,
          'answers 403: it may refuse the address that the calls come from',
          `It answers only calls from Israel: set TAX_AUTHORITY_PROXY_URL; ${remedy}`,
        );
      }
      return status >= 500
        ? warning('authority', subject, `answers ${status}`, 'Attempts continue: wait, and look again')
        : ok('authority', subject, `answers (HTTP ${status})`);
    } catch (error) {
      const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
      const reason = cause?.code ?? cause?.message ?? message;
      return failure(
        'authority',
        subject,
        `does not answer: ${reason}`,
        `Check TAX_AUTHORITY_URL and _TOKEN_URL, the proxy, and the network policy: ${remedy}`,
      );
    }
  }

  #checkEnvironment(): Check {
    const { taxAuthorityUrl, taxAuthorityInformationUrl, taxAuthorityAutoConnect } = this.config;
    const addresses = [...addressesOf(this.config), taxAuthorityInformationUrl];
    const wrong = wrongInProduction(this.config.production, this.config.taxAuthorityRedirectUri);
    const remedy =
      'Set TAX_AUTHORITY_URL and the others to …/shaam/production: docs/operating/tax-authority.md';
    if (addresses.some(isOnThisMachine)) {
      return wrong('authority', 'TAX_AUTHORITY_URL', 'leads to a simulator: no number is real', remedy);
    }
    if ([taxAuthorityUrl, taxAuthorityInformationUrl].some((url) => /\/shaam\/tsandbox\b/.test(url))) {
      return wrong('authority', 'TAX_AUTHORITY_URL', 'leads to the sandbox: no number is real', remedy);
    }
    return taxAuthorityAutoConnect
      ? wrong('authority', 'TAX_AUTHORITY_AUTO_CONNECT', 'is true', 'Set it to false: an owner logs in')
      : ok('authority', 'TAX_AUTHORITY_URL', taxAuthorityUrl);
  }

  async #checkConnections(): Promise<Check[]> {
    const now = this.clock.now();
    const { count, ending } = await connectionEnds(this.#all, expiringBefore(now), namedMax + 1);
    const named = ending.slice(0, namedMax).map((row) => connectionCheck(row, now));
    const rest =
      ending.length > namedMax
        ? [
            warning(
              'authority',
              'connections',
              'more end soon, or have ended',
              'pinkas allocation connections',
            ),
          ]
        : [];
    const all = count === 1 ? '1 business has a login' : `${count} businesses have a login`;
    return named.length > 0
      ? [...named, ...rest]
      : [ok('authority', 'connections', count === 0 ? 'no business is connected' : `${all} that holds`)];
  }

  async #checkWaiting(): Promise<Check[]> {
    const [numbers, donations, operator] = await Promise.all([
      countDeadLettered(this.#all, 'number'),
      countDeadLettered(this.#all, 'donation'),
      countAwaitingOperator(this.#all),
    ]);
    const subject = 'requests to the authority';
    const dead = numbers + donations;
    const checks = [
      ...(operator > 0
        ? [
            failure(
              'authority',
              subject,
              `${operator} wait since the authority does not accept the application`,
              'docs/runbooks/authority-rejects-application.md',
            ),
          ]
        : []),
      ...(dead > 0
        ? [
            warning(
              'authority',
              subject,
              `${dead} are dead-lettered`,
              'pinkas queue dead shows the reason: docs/runbooks/allocations-dead-lettered.md',
            ),
          ]
        : []),
    ];
    return checks.length > 0 ? checks : [ok('authority', subject, 'none waits for a person')];
  }
}

/** The address of approvals, and that of tokens where it is on another host. */
function addressesOf({ taxAuthorityUrl, taxAuthorityTokenUrl }: AllocationConfig): string[] {
  const byHost = new Map([taxAuthorityTokenUrl, taxAuthorityUrl].map((url) => [new URL(url).host, url]));
  return [...byHost.values()];
}

function connectionCheck(row: ConnectionRow, now: Date): Check {
  const { business_id, state, since, until } = connectionOf(row, now);
  const subject = `connection of business ${business_id}`;
  const remedy = 'Its owner logs in again in the console: docs/runbooks/authority-connections.md';
  return state === 'ended' || until === null
    ? warning(
        'authority',
        subject,
        `has ended (${daysText(new Date(since), now)}): no number is requested`,
        remedy,
      )
    : warning('authority', subject, `its login ends on ${daysText(new Date(until), now)}`, remedy);
}
