import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { compile } from '@pinkas/contracts';
import { InjectConfig } from '@pinkas/service-kit';
import Type from 'typebox';
import type { AllocationConfig } from '../config.js';
import { AuthorityHttp, type HttpAnswer } from './authority-http.js';

/** The tokens that the authority gave for a code or for a refresh token. */
export interface Grant {
  accessToken: string;
  expiresInSeconds: number;
  /** Null: the old one goes on. */
  refreshToken: string | null;
  /** Null: the authority did not say. */
  refreshExpiresInSeconds: number | null;
}

/** The authority took back its word: the code or the refresh token is worth nothing. */
export class GrantRefusedError extends Error {
  override readonly name = 'GrantRefused';
}

/** The authority does not accept the application: its id, its secret or its subscription, which only the operator can correct. */
export class ClientRejectedError extends Error {
  override readonly name = 'ClientRejected';
}

/** The authority answered, and gave no tokens; whether the code or refresh token is worth nothing it did not say. */
export class GrantFailedError extends Error {
  override readonly name = 'GrantFailed';
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

/** The only scope that the authority knows is this literal word. */
const scope = 'scope';

/**
 * The authority's OAuth2: authorization code and refresh token. Its slides for software houses (November 2023) name the client by HTTP
 * Basic for a code and in the body for a refresh token; both are sent.
 */
@Injectable()
export class AuthorityGrants {
  constructor(
    @InjectConfig() private readonly config: AllocationConfig,
    private readonly http: AuthorityHttp,
  ) {}

  /** The page at which an owner logs in and agrees. */
  authorizeUrl(state: string): string {
    const url = new URL(this.config.taxAuthorityAuthorizeUrl);
    for (const [name, value] of Object.entries({
      response_type: 'code',
      client_id: this.config.taxAuthorityClientId,
      scope,
      redirect_uri: this.config.taxAuthorityRedirectUri,
      state,
    })) {
      url.searchParams.set(name, value);
    }
    return url.href;
  }

  /**
   * Goes the owner's way through the authorization, where no human has to log in: on the simulator.
   * @throws Error when the authority asks for one after all, or gives no tokens.
   */
  async authorizeAutomatically(signal: AbortSignal): Promise<Grant> {
    const state = randomUUID();
    const answer = await this.http.call(this.authorizeUrl(state), { method: 'GET', headers: {} }, signal);
    const location = answer.headers.get('location');
    if (answer.status < 300 || answer.status > 399 || location === null) {
      throw new Error(`the tax authority did not redirect: HTTP status ${answer.status}`);
    }
    const given = new URL(location).searchParams;
    const code = given.get('code');
    if (given.get('state') !== state || !code) {
      throw new Error('the tax authority redirected without our state, or without a code');
    }
    return this.fromCode(code, signal);
  }

  /** @throws GrantRefused, ClientRejected, GrantFailed, or an Error when the authority cannot be reached. None of them holds a secret. */
  fromCode(code: string, signal: AbortSignal): Promise<Grant> {
    const redirectUri = this.config.taxAuthorityRedirectUri;
    return this.#grant({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, scope }, signal);
  }

  /** Spends a refresh token. @throws like `fromCode`. */
  fromRefreshToken(token: string, signal: AbortSignal): Promise<Grant> {
    const { taxAuthorityClientId: client_id, taxAuthorityClientSecret: client_secret } = this.config;
    const form = { grant_type: 'refresh_token', refresh_token: token, scope, client_id, client_secret };
    return this.#grant(form, signal);
  }

  async #grant(form: Record<string, string>, signal: AbortSignal): Promise<Grant> {
    const { taxAuthorityClientId: id, taxAuthorityClientSecret: secret } = this.config;
    const answer = await this.http.call(
      this.config.taxAuthorityTokenUrl,
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

/** RFC 6749, section 5. Every error that it does not name may pass. */
function readGrant(answer: HttpAnswer): Grant {
  let value: unknown;
  try {
    value = JSON.parse(answer.body);
  } catch {
    value = undefined;
  }
  if (answer.status !== 200) {
    const reason = (value as { error?: unknown } | null | undefined)?.error;
    if (reason === 'invalid_grant') {
      throw new GrantRefusedError('invalid_grant');
    }
    if (reason === 'invalid_client' || reason === 'unauthorized_client') {
      throw new ClientRejectedError(reason);
    }
    throw new GrantFailedError(`the tax authority gave no token: HTTP status ${answer.status}`);
  }
  const checked = checkGrant(value);
  if (!checked.ok) {
    throw new GrantFailedError('the tax authority gave a token that cannot be read');
  }
  return {
    accessToken: checked.value.access_token,
    expiresInSeconds: checked.value.expires_in,
    refreshToken: checked.value.refresh_token ?? null,
    refreshExpiresInSeconds: checked.value.refresh_token_expires_in ?? null,
  };
}
