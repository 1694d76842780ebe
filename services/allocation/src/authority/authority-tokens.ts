import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { compile } from '@pinkas/contracts';
import {
  type Clock,
  type Database,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  type Logger,
  ofBusiness,
} from '@pinkas/service-kit';
import Type from 'typebox';
import type { AllocationTables } from '../allocation/allocation.tables.js';
import type { AllocationConfig } from '../config.js';
import { callAuthority, type HttpAnswer } from './authority-http.js';
import {
  breakConnection,
  type ConnectionRow,
  findConnection,
  lockConnection,
  saveConnection,
} from './connection.repository.js';
import { decryptToken, encryptToken } from './token-cipher.js';

/** A business without a usable connection: nobody has connected it, or its owner has to log in again. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected';
}

/** The authority took back its word: the code or the refresh token is worth nothing. */
class GrantRefused extends Error {
  override readonly name = 'GrantRefused';
}

const Seconds = Type.Number({ minimum: 1, maximum: 1_000_000_000 });
const checkGrant = compile(
  Type.Object({
    access_token: Type.String({ minLength: 1, maxLength: 8_192 }),
    expires_in: Seconds,
    refresh_token: Type.Optional(Type.String({ minLength: 1, maxLength: 8_192 })),
    refresh_token_expires_in: Type.Optional(Seconds),
  }),
);

interface Grant {
  accessToken: string;
  expiresInSeconds: number;
  refreshToken: string | null;
  refreshExpiresInSeconds: number | null;
}

/** The only scope that the authority knows is this literal word. */
const scope = 'scope';
/** An access token that ends so soon is renewed before it is used. */
const renewBeforeMs = 30_000;
/**
 * How long a renewal may take. Longer than a try: a refresh that was cut off may have spent the refresh token, so it goes
 * on while the try that wanted it has failed already.
 */
const renewTimeoutMs = 6_000;
/** Each renewal holds a database connection; the rest is for the documents that need none. */
const renewalsMax = 4;
/** Registered at the authority. The simulator redirects to it, and nobody has to listen there. */
const redirectUri = 'http://localhost/tax-authority/connected';

/**
 * The businesses' access tokens: OAuth2 with authorization code and rotating refresh tokens, one chain per business,
 * encrypted at rest. A refresh token is spent by its use, so the new one is stored in the transaction that used the old one,
 * under a lock on the business's row.
 */
@Injectable()
export class AuthorityTokens {
  readonly #renewals = new Map<string, Promise<string>>();

  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: AllocationConfig,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  /**
   * An access token that is good for the next seconds.
   * @throws NotConnected, or an Error when the authority cannot be reached.
   */
  async accessToken(businessId: string): Promise<string> {
    const row = await findConnection(ofBusiness(this.db, businessId), businessId);
    return (row && this.#usable(row)) ?? this.#renew(businessId, undefined);
  }

  /** Another token than the one that the authority has just refused. */
  async afterRefusal(businessId: string, refused: string): Promise<string> {
    return this.#renew(businessId, refused);
  }

  /** Waits for the renewals in hand, so that no refresh token is spent without its successor being stored. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#renewals.values());
  }

  async #renew(businessId: string, refused: string | undefined): Promise<string> {
    const running = this.#renewals.get(businessId);
    if (running) return running;
    while (this.#renewals.size >= renewalsMax) {
      await Promise.race([...this.#renewals.values()].map((renewal) => renewal.catch(() => undefined)));
      const since = this.#renewals.get(businessId);
      if (since) return since;
    }
    const renewal = this.#renewNow(businessId, refused).finally(() => this.#renewals.delete(businessId));
    this.#renewals.set(businessId, renewal);
    return renewal;
  }

  async #renewNow(businessId: string, refused: string | undefined): Promise<string> {
    const signal = AbortSignal.timeout(renewTimeoutMs);
    const token = await ofBusiness(this.db, businessId)
      .transaction()
      .execute(async (trx) => {
        const row = await lockConnection(trx, businessId);
        const usable = row && this.#usable(row);
        // Another process has renewed it meanwhile.
        if (usable !== undefined && usable !== refused) return usable;
        let grant: Grant | undefined;
        if (row && !row.broken_at) {
          grant = await this.#refresh(row, signal).catch((error: unknown) => {
            if (error instanceof GrantRefused) return undefined;
            throw error;
          });
        }
        if (!grant && this.config.taxAuthorityAutoConnect) grant = await this.#connect(signal);
        if (!grant) {
          if (row && !row.broken_at) {
            await breakConnection(trx, businessId, this.clock.now());
            this.logger.warn(
              { business_id: businessId },
              'the owner has to connect to the tax authority again',
            );
          }
          return undefined;
        }
        await saveConnection(trx, this.#toRow(businessId, grant, row));
        return grant.accessToken;
      });
    if (token === undefined) throw new NotConnected('no usable connection');
    return token;
  }

  #usable(row: ConnectionRow): string | undefined {
    if (row.broken_at || row.access_expires_at.getTime() - renewBeforeMs <= this.clock.now().getTime()) {
      return undefined;
    }
    return decryptToken(this.config.tokenEncryptionKey, placeOf(row.business_id, 'access'), row.access_token);
  }

  #toRow(
    businessId: string,
    grant: Grant,
    old: ConnectionRow | undefined,
  ): Omit<ConnectionRow, 'connected_at' | 'broken_at'> {
    const now = this.clock.now();
    const after = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
    const seal = (kind: TokenKind, token: string) =>
      encryptToken(this.config.tokenEncryptionKey, placeOf(businessId, kind), token);
    const refreshToken =
      grant.refreshToken === null ? old?.refresh_token : seal('refresh', grant.refreshToken);
    if (!refreshToken) throw new Error('the tax authority gave no refresh token');
    return {
      business_id: businessId,
      access_token: seal('access', grant.accessToken),
      access_expires_at: after(grant.expiresInSeconds),
      refresh_token: refreshToken,
      refresh_expires_at:
        grant.refreshExpiresInSeconds === null
          ? (old?.refresh_expires_at ?? null)
          : after(grant.refreshExpiresInSeconds),
      refreshed_at: now,
    };
  }

  async #refresh(row: ConnectionRow, signal: AbortSignal): Promise<Grant> {
    const token = decryptToken(
      this.config.tokenEncryptionKey,
      placeOf(row.business_id, 'refresh'),
      row.refresh_token,
    );
    return this.#grant({ grant_type: 'refresh_token', refresh_token: token, scope }, signal);
  }

  /** Goes the owner's way through the authorization, where no human has to log in: on the simulator. */
  async #connect(signal: AbortSignal): Promise<Grant> {
    const state = randomUUID();
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: this.config.taxAuthorityClientId,
      scope,
      redirect_uri: redirectUri,
      state,
    });
    const url = `${this.config.taxAuthorityUrl}/longtimetoken/oauth2/authorize?${query}`;
    const answer = await callAuthority(url, { method: 'GET', headers: {} }, signal);
    const location = answer.headers.get('location');
    if (answer.status < 300 || answer.status > 399 || !location?.startsWith(`${redirectUri}?`)) {
      throw new Error(`the tax authority did not redirect: HTTP status ${answer.status}`);
    }
    const given = new URL(location).searchParams;
    const code = given.get('code');
    if (given.get('state') !== state || !code)
      throw new Error('the tax authority redirected without our state');
    return this.#grant({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, scope }, signal);
  }

  async #grant(form: Record<string, string>, signal: AbortSignal): Promise<Grant> {
    const { taxAuthorityClientId: id, taxAuthorityClientSecret: secret } = this.config;
    const answer = await callAuthority(
      `${this.config.taxAuthorityUrl}/longtimetoken/oauth2/token`,
      {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'application/json',
        },
        body: new URLSearchParams(form).toString(),
      },
      signal,
    );
    return readGrant(answer);
  }
}

type TokenKind = 'access' | 'refresh';
const placeOf = (businessId: string, kind: TokenKind): string => `${businessId} ${kind}`;

/** @throws GrantRefused when the code or token is worth nothing (RFC 6749, section 5.2), else an Error without secrets. */
function readGrant(answer: HttpAnswer): Grant {
  let value: unknown;
  try {
    value = JSON.parse(answer.body);
  } catch {
    value = undefined;
  }
  if (answer.status !== 200) {
    const reason = (value as { error?: unknown } | undefined)?.error;
    if (reason === 'invalid_grant') throw new GrantRefused('invalid_grant');
    throw new Error(`the tax authority gave no token: HTTP status ${answer.status}`);
  }
  const checked = checkGrant(value);
  if (!checked.ok) throw new Error('the tax authority gave a token that cannot be read');
  return {
    accessToken: checked.value.access_token,
    expiresInSeconds: checked.value.expires_in,
    refreshToken: checked.value.refresh_token ?? null,
    refreshExpiresInSeconds: checked.value.refresh_token_expires_in ?? null,
  };
}
