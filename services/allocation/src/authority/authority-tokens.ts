import { Injectable } from '@nestjs/common';
import { timeLimitsMs } from '@pinkas/contracts';
import {
  type Clock,
  type Database,
  decryptToken,
  encryptToken,
  forTenant,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  type Logger,
  OutboxRelay,
  type OutboxTransaction,
  type Transaction,
} from '@pinkas/service-kit';
import { timeoutSignal } from '@pinkas/service-kit/concurrency';
import type { AllocationConfig } from '../config.js';
import type { AllocationTables } from '../db/allocation.tables.js';
import type { Person } from './approval-request.js';
import { AuthorityGrants, type Grant, GrantRefusedError } from './authority-grants.js';
import {
  breakConnection,
  type ConnectionRow,
  type EncryptedTokens,
  findConnection,
  lockConnection,
  lockConnectionChanges,
  type PersonColumns,
  renewConnection,
  resumeAwaiting,
  storeConnection,
} from './connection.repository.js';
import { publishConnectionEvent } from './connection-events.js';

/** A business without a usable connection: never connected, or its owner has to log in again. */
export class NotConnectedError extends Error {
  override readonly name = 'NotConnected';
}

/** For a simulator, at which no person logs in. */
const automaticPerson = { user_id: null, user_name: 'Demo User' };

/** A consent ends three months after the login (slides for software houses, November 2023): a refresh does not extend it. */
const consentDays = 90;

/** An access token that expires within this time is renewed before it is used. */
const renewBeforeMs = 30_000;
/** How long a renewal may take: it goes on where the attempt that wanted it has ended, since it may have spent the refresh token. */
const renewTimeoutMs = timeLimitsMs.authorityTokenRenewal;
/** Each renewal holds a database connection; the rest is for the documents that need none. */
const renewalsMax = 4;

/**
 * The businesses' access tokens: one chain of rotating refresh tokens per business, encrypted at rest. A refresh token is
 * spent by its use, so the new one is stored in the transaction that used the old one, under a lock on the business's row:
 * one refresh at a time, over all processes. A process that dies between the authority's answer and the commit loses the
 * chain: the next refresh is refused, the connection has ended, and the owner has to log in again.
 */
@Injectable()
export class AuthorityTokens {
  readonly #renewals = new Map<string, Promise<string>>();

  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: AllocationConfig,
    @InjectLogger() private readonly logger: Logger,
    private readonly grants: AuthorityGrants,
    private readonly relay: OutboxRelay,
  ) {}

  /**
   * An access token that is good for the next seconds.
   * @throws NotConnected, or an Error when the authority cannot be reached.
   */
  async accessToken(businessId: string): Promise<string> {
    const row = await findConnection(forTenant(this.db, businessId), businessId);
    return (row && this.#usable(row)) ?? this.#renew(businessId, undefined);
  }

  /** Who issues for a business; undefined where its connection names no one. */
  async personOf(businessId: string): Promise<Person | undefined> {
    const row = await findConnection(forTenant(this.db, businessId), businessId);
    if (row?.user_id) {
      return { user_id: Number(row.user_id) };
    }
    return row?.user_name ? { user_name: row.user_name } : undefined;
  }

  /** Another token than the one that the authority has just refused. */
  async replaceToken(businessId: string, refused: string): Promise<string> {
    return this.#renew(businessId, refused);
  }

  /** A fresh token was refused as well: the connection has ended, unless it was replaced since. */
  async endConnection(businessId: string, refused: string): Promise<void> {
    await this.relay.transaction(forTenant(this.db, businessId), async (trx) => {
      const row = await lockConnection(trx, businessId);
      if (row && this.#usable(row) === refused) {
        await this.#break(trx, businessId);
      }
    });
  }

  /** Stores the tokens of a business whose owner has just agreed; its documents that waited for that are due. */
  async storeConnected(
    trx: Transaction<AllocationTables>,
    businessId: string,
    grant: Grant,
    { user_id, user_name }: PersonColumns,
  ): Promise<void> {
    const now = this.clock.now();
    await lockConnectionChanges(trx, businessId);
    const tokens = this.#sealed(businessId, grant, undefined);
    await storeConnection(trx, businessId, { ...tokens, user_id, user_name, connected_at: now });
    await resumeAwaiting(trx, businessId, now);
  }

  /** Waits for the renewals in flight, so that no refresh token is spent without its successor being stored. */
  async whenIdle(): Promise<void> {
    await Promise.allSettled(this.#renewals.values());
  }

  async #renew(businessId: string, refused: string | undefined): Promise<string> {
    const running = this.#renewals.get(businessId);
    if (running) {
      return running;
    }
    while (this.#renewals.size >= renewalsMax) {
      await Promise.race([...this.#renewals.values()].map((renewal) => renewal.catch(() => undefined)));
      const since = this.#renewals.get(businessId);
      if (since) {
        return since;
      }
    }
    const renewal = this.#renewNow(businessId, refused).finally(() => this.#renewals.delete(businessId));
    this.#renewals.set(businessId, renewal);
    return renewal;
  }

  async #renewNow(businessId: string, refused: string | undefined): Promise<string> {
    const signal = timeoutSignal(renewTimeoutMs);
    const token = await this.relay.transaction(forTenant(this.db, businessId), async (trx) => {
      const row = await lockConnection(trx, businessId);
      const usable = row && this.#usable(row);
      // Another process has renewed it.
      if (usable !== undefined && usable !== refused) {
        return usable;
      }
      if (row && !row.broken_at) {
        const grant = await this.#refresh(row, signal);
        if (grant) {
          await renewConnection(trx, businessId, this.#sealed(businessId, grant, row));
          return grant.accessToken;
        }
      }
      if (this.#connectsItself(row, refused)) {
        const grant = await this.grants.authorizeAutomatically(signal);
        await this.storeConnected(trx, businessId, grant, automaticPerson);
        return grant.accessToken;
      }
      if (row && !row.broken_at) {
        await this.#break(trx, businessId);
      }
      return undefined;
    });
    if (token === undefined) {
      throw new NotConnectedError('no usable connection');
    }
    return token;
  }

  /** A token was refused and there is no connection: its owner has ended it, and what is in flight makes no other. */
  #connectsItself(row: ConnectionRow | undefined, refused: string | undefined): boolean {
    return this.config.taxAuthorityAutoConnect && (row !== undefined || refused === undefined);
  }

  async #break(trx: OutboxTransaction<AllocationTables>, businessId: string): Promise<void> {
    const now = this.clock.now();
    await breakConnection(trx, businessId, now);
    await publishConnectionEvent(trx, businessId, null, now);
    this.logger.warn({ business_id: businessId }, 'tax authority connection ended');
  }

  #usable(row: ConnectionRow): string | undefined {
    if (row.broken_at || row.access_expires_at.getTime() - renewBeforeMs <= this.clock.now().getTime()) {
      return undefined;
    }
    return decryptToken(
      this.config.tokenEncryptionKey,
      tokenContext(row.business_id, 'access'),
      row.access_token,
    );
  }

  #sealed(businessId: string, grant: Grant, old: ConnectionRow | undefined): EncryptedTokens {
    const now = this.clock.now();
    const after = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
    const seal = (kind: TokenKind, token: string) =>
      encryptToken(this.config.tokenEncryptionKey, tokenContext(businessId, kind), token);
    const refreshToken =
      grant.refreshToken === null ? old?.refresh_token : seal('refresh', grant.refreshToken);
    if (!refreshToken) {
      throw new Error('the tax authority gave no refresh token');
    }
    return {
      access_token: seal('access', grant.accessToken),
      access_expires_at: after(grant.expiresInSeconds),
      refresh_token: refreshToken,
      refresh_expires_at: consentEnd(
        old?.connected_at ?? now,
        grant.refreshExpiresInSeconds === null
          ? (old?.refresh_expires_at ?? null)
          : after(grant.refreshExpiresInSeconds),
      ),
      refreshed_at: now,
    };
  }

  /** @returns undefined when the refresh token is worth nothing any more. */
  async #refresh(row: ConnectionRow, signal: AbortSignal): Promise<Grant | undefined> {
    const token = decryptToken(
      this.config.tokenEncryptionKey,
      tokenContext(row.business_id, 'refresh'),
      row.refresh_token,
    );
    try {
      return await this.grants.fromRefreshToken(token, signal);
    } catch (error) {
      if (error instanceof GrantRefusedError) {
        return undefined;
      }
      throw error;
    }
  }
}

/** When the owner has to log in again, at the latest. @param stated what the authority said of its tokens. */
export function consentEnd(loggedInAt: Date, stated: Date | null): Date {
  const latest = new Date(loggedInAt.getTime() + consentDays * 24 * 3_600_000);
  return stated && stated < latest ? stated : latest;
}

type TokenKind = 'access' | 'refresh';
const tokenContext = (businessId: string, kind: TokenKind): string => `${businessId} ${kind}`;
