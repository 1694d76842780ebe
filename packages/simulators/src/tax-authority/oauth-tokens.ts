import { createHash, randomBytes } from 'node:crypto';
import { JsonLinesFile } from '../json-lines-file.js';

/** The life of an access token in seconds, as the authority gives it. */
export const accessTokenSeconds = 601;
/** The life of a refresh token in seconds: 90 days, the authority's later figure. */
const refreshTokenSeconds = 7_776_000;
/** An authorization code is for the redirect that carries it. */
const codeSeconds = 600;

/** The answer of the token endpoint. */
export interface TokenAnswer {
  readonly token_type: 'Bearer';
  readonly access_token: string;
  readonly expires_in: number;
  readonly consented_on: number;
  readonly scope: 'scope';
  readonly refresh_token: string;
  readonly refresh_token_expires_in: number;
}

interface TokenEvent {
  readonly refresh_token_sha256: string;
  /** Seconds since 1970, or 'used' when the token was turned in. */
  readonly expires: number | 'used';
  /** Whom the owner has agreed to; absent in what was kept before it was written down, which any client may use. */
  readonly client_id?: string;
}

/** What a refresh token represents. */
interface Consent {
  readonly expires: number;
  readonly clientId: string | undefined;
}

/**
 * Codes and tokens of the authority. Refresh tokens survive a restart, since a business connects once in three months;
 * access tokens do not, which callers must handle anyway.
 */
export class OAuthTokens {
  readonly #file: JsonLinesFile<TokenEvent>;
  readonly #codes = new Map<
    string,
    { readonly clientId: string; readonly redirectUri: string; readonly expires: number }
  >();
  readonly #accessTokens = new Map<string, number>();
  readonly #refreshTokens = new Map<string, Consent>();

  constructor(folder: string | undefined) {
    this.#file = new JsonLinesFile(folder, 'refresh-tokens.jsonl');
    for (const { refresh_token_sha256: hash, expires, client_id: clientId } of this.#file.earlier) {
      if (expires === 'used') {
        this.#refreshTokens.delete(hash);
      } else {
        this.#refreshTokens.set(hash, { expires, clientId });
      }
    }
  }

  /** A fresh code that can be turned in once, by the same client and with the same redirect address. */
  newCode(clientId: string, redirectUri: string): string {
    forgetExpired(this.#codes, ({ expires }) => expires);
    const code = randomBytes(24).toString('base64url');
    this.#codes.set(code, { clientId, redirectUri, expires: now() + codeSeconds });
    return code;
  }

  /** Turns in a code. Undefined when it is unknown, used, expired, or was given to another client or address. */
  fromCode(clientId: string, code: string, redirectUri: string): TokenAnswer | undefined {
    const known = this.#codes.get(code);
    this.#codes.delete(code);
    if (!known || known.expires <= now()) {
      return undefined;
    }
    if (known.redirectUri !== redirectUri || known.clientId !== clientId) {
      return undefined;
    }
    return this.#issue(clientId);
  }

  /** Turns in a refresh token, which is dead afterwards. Undefined when it is unknown, used, expired or another client's. */
  fromRefreshToken(clientId: string, token: string): TokenAnswer | undefined {
    const hash = sha256(token);
    const consent = this.#refreshTokens.get(hash);
    if (!consent || consent.expires <= now()) {
      return undefined;
    }
    if (consent.clientId !== undefined && consent.clientId !== clientId) {
      return undefined;
    }
    this.#refreshTokens.delete(hash);
    this.#file.append({ refresh_token_sha256: hash, expires: 'used' });
    return this.#issue(clientId);
  }

  /** Whether an access token is alive. */
  isAlive(accessToken: string): boolean {
    return (this.#accessTokens.get(accessToken) ?? 0) > now();
  }

  #issue(clientId: string): TokenAnswer {
    forgetExpired(this.#accessTokens, (expires) => expires);
    const accessToken = randomBytes(32).toString('base64url');
    const refreshToken = randomBytes(32).toString('base64url');
    this.#accessTokens.set(accessToken, now() + accessTokenSeconds);
    const expires = now() + refreshTokenSeconds;
    this.#refreshTokens.set(sha256(refreshToken), { expires, clientId });
    this.#file.append({ refresh_token_sha256: sha256(refreshToken), expires, client_id: clientId });
    return {
      token_type: 'Bearer',
      access_token: accessToken,
      expires_in: accessTokenSeconds,
      consented_on: Math.floor(now()),
      scope: 'scope',
      refresh_token: refreshToken,
      refresh_token_expires_in: refreshTokenSeconds,
    };
  }
}

function now(): number {
  return Date.now() / 1000;
}

function sha256(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function forgetExpired<Value>(map: Map<string, Value>, expiresOf: (value: Value) => number): void {
  // Entries are in the order of their expiry, so the expired ones are at the front.
  for (const [key, value] of map) {
    if (expiresOf(value) > now()) {
      return;
    }
    map.delete(key);
  }
}
