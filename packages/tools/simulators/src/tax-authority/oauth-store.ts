import { createHash, randomBytes } from 'node:crypto';
import { JsonLinesFile } from '../json-lines-file.js';
import type { Clock } from './clock.js';
import type { Options } from './options.js';

/** The life of an access token in seconds: [A] PD, PF. */
export const accessTokenSeconds = 601;

const daySeconds = 86_400;

/** A consent of an owner: it begins with a login and lasts through all refreshes. */
export interface Login {
  readonly clientId: string | undefined;
  /** Seconds since 1970. */
  readonly at: number;
  readonly refreshes: number;
  /** The sellers that it has asked for: it has permission for them. */
  readonly vats: Set<number>;
}

interface Code {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly expires: number;
  used: boolean;
}

/** A line of the file. Those of earlier releases have no login. */
interface TokenEvent {
  readonly refresh_token_sha256: string;
  /** Seconds since 1970, or 'used' when the token was turned in. */
  readonly expires: number | 'used';
  readonly client_id?: string;
  readonly login_at?: number;
  readonly refreshes?: number;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly login: Login;
  readonly refreshSeconds: number;
}

/** Codes and tokens. Refresh tokens survive a restart; access tokens do not, which callers must handle anyway. */
export class OAuthStore {
  readonly #file: JsonLinesFile<TokenEvent>;
  readonly #codes = new Map<string, Code>();
  readonly #accessTokens = new Map<string, { readonly expires: number; readonly login: Login }>();
  readonly #refreshTokens = new Map<string, { readonly expires: number; readonly login: Login }>();
  readonly #clock: Clock;

  constructor(folder: string | undefined, clock: Clock) {
    this.#clock = clock;
    this.#file = new JsonLinesFile(folder, 'refresh-tokens.jsonl');
    for (const event of this.#file.earlier) {
      if (event.expires === 'used') {
        this.#refreshTokens.delete(event.refresh_token_sha256);
        continue;
      }
      const at = event.login_at ?? event.expires - 90 * daySeconds;
      const login = {
        clientId: event.client_id,
        at,
        refreshes: event.refreshes ?? 0,
        vats: new Set<number>(),
      };
      this.#refreshTokens.set(event.refresh_token_sha256, { expires: event.expires, login });
    }
  }

  newCode(clientId: string, redirectUri: string, seconds: number): string {
    forgetExpired(this.#codes, this.#clock.seconds() - daySeconds);
    const code = randomBytes(24).toString('base64url');
    this.#codes.set(code, { clientId, redirectUri, expires: this.#clock.seconds() + seconds, used: false });
    return code;
  }

  /** A code of this client, to be turned in once. */
  useCode(clientId: string, code: string, redirectUri: string): 'ok' | 'unknown' | 'used' | 'other address' {
    const known = this.#codes.get(code);
    if (!known || known.clientId !== clientId || known.expires <= this.#clock.seconds()) {
      return 'unknown';
    }
    if (known.used) {
      return 'used';
    }
    if (known.redirectUri !== redirectUri) {
      return 'other address';
    }
    known.used = true;
    return 'ok';
  }

  /** A new chain of tokens: the owner has logged in. */
  begin(clientId: string, options: Options): Tokens {
    return this.#issue({ clientId, at: this.#clock.seconds(), refreshes: 0, vats: new Set() }, options);
  }

  /** Turns in a refresh token, which is spent afterwards. Undefined where it is unknown, spent, expired or another client's. */
  refresh(clientId: string, token: string, options: Options): Tokens | undefined {
    const hash = sha256(token);
    const known = this.#refreshTokens.get(hash);
    if (!known || known.expires <= this.#clock.seconds()) {
      return undefined;
    }
    const { login } = known;
    const isOver = options.refreshesMax !== null && login.refreshes >= options.refreshesMax;
    if (isOver || (login.clientId !== undefined && login.clientId !== clientId)) {
      return undefined;
    }
    this.#refreshTokens.delete(hash);
    this.#file.append({ refresh_token_sha256: hash, expires: 'used' });
    return this.#issue({ ...login, clientId, refreshes: login.refreshes + 1 }, options);
  }

  /** The login behind an access token that has not expired. */
  loginOf(accessToken: string): Login | undefined {
    const known = this.#accessTokens.get(accessToken);
    return known && known.expires > this.#clock.seconds() ? known.login : undefined;
  }

  /** Forgets everything: each owner has to log in again. */
  revokeAll(): void {
    for (const hash of this.#refreshTokens.keys()) {
      this.#file.append({ refresh_token_sha256: hash, expires: 'used' });
    }
    this.#refreshTokens.clear();
    this.#accessTokens.clear();
  }

  /** The consents whose refresh token can be used. */
  logins(): object[] {
    return [...this.#refreshTokens.values()].map(({ expires, login }) => ({
      client_id: login.clientId,
      at: new Date(login.at * 1_000).toISOString(),
      refreshes: login.refreshes,
      refresh_token_expires_at: new Date(expires * 1_000).toISOString(),
      vat_numbers: [...login.vats],
    }));
  }

  #issue(login: Login, options: Options): Tokens {
    const now = this.#clock.seconds();
    forgetExpired(this.#accessTokens, now);
    const accessToken = randomBytes(32).toString('base64url');
    const refreshToken = randomBytes(32).toString('base64url');
    const full = options.consentDays * daySeconds;
    const expires = (options.consentFrom === 'login' ? login.at : now) + full;
    this.#accessTokens.set(accessToken, { expires: now + accessTokenSeconds, login });
    this.#refreshTokens.set(sha256(refreshToken), { expires, login });
    this.#file.append({
      refresh_token_sha256: sha256(refreshToken),
      expires,
      ...(login.clientId !== undefined && { client_id: login.clientId }),
      login_at: login.at,
      refreshes: login.refreshes,
    });
    const refreshSeconds = options.refreshExpiresIn === 'full' ? full : expires - now;
    return { accessToken, refreshToken, login, refreshSeconds };
  }
}

function sha256(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function forgetExpired<Value extends { readonly expires: number }>(
  map: Map<string, Value>,
  now: number,
): void {
  // Entries are in the order of their expiry, so the expired ones are at the front.
  for (const [key, { expires }] of map) {
    if (expires > now) {
      return;
    }
    map.delete(key);
  }
}
