import { Injectable } from '@nestjs/common';
import { normaliseEmailAddress } from '@pinkas/domain';
import {
  acrossTenants,
  type Clock,
  type Database,
  InjectClock,
  InjectConfig,
  InjectDatabase,
} from '@pinkas/service-kit';
import * as client from 'openid-client';
import type { ConsoleConfig } from '../../config.js';
import type { ConsoleTables } from '../../db/console.tables.js';
import type { Visit } from '../../http/visit.js';
import { markBrowser } from './browser-cookie.js';
import { insertCeremony, takeCeremony } from './sign-in.repository.js';

/** One request to the issuer. */
const requestSeconds = 3;
/** The issuer's addresses and keys are read again after so long. */
const discoveryMs = 60 * 60 * 1000;
/** Who proves again must have done it at the issuer within this time. */
const proofSeconds = 300;
const path = '/sign-in/oidc/callback';

/** Why signing in at the issuer did not work. */
export type OidcFailure = 'unreachable' | 'refused' | 'unverified' | 'unknown' | 'other' | 'stale';

export class OidcError extends Error {
  override readonly name = 'OidcError';

  constructor(
    readonly failure: OidcFailure,
    cause?: unknown,
  ) {
    super(`signing in at the issuer: ${failure}`, cause === undefined ? {} : { cause });
  }
}

/** Signs in with OpenID Connect: the code flow with PKCE, where the operator has configured an issuer. */
@Injectable()
export class Oidc {
  readonly #all: Database<ConsoleTables>;
  #discovered: { readonly at: number; readonly found: Promise<client.Configuration> } | undefined;

  constructor(
    @InjectDatabase() db: Database<ConsoleTables>,
    @InjectConfig() private readonly config: ConsoleConfig,
    @InjectClock() private readonly clock: Clock,
  ) {
    this.#all = acrossTenants(db);
  }

  get isConfigured(): boolean {
    return this.config.oidcIssuer !== '';
  }

  /** Where the browser continues at the issuer. @throws OidcError */
  async begin(visit: Visit, next: string): Promise<string> {
    const configuration = await this.#discover();
    const state = client.randomState();
    const nonce = client.randomNonce();
    const codeVerifier = client.randomPKCECodeVerifier();
    await insertCeremony(
      this.#all,
      state,
      {
        kind: 'oidc',
        browser_hash: markBrowser(this.config, visit).hash,
        person_id: visit.session?.personId ?? null,
        nonce,
        code_verifier: codeVerifier,
        next_path: next,
      },
      this.clock.now(),
    );
    return client.buildAuthorizationUrl(configuration, {
      redirect_uri: `${this.config.consoleUrl}${path}`,
      scope: 'openid email',
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ...(visit.session === null ? {} : { prompt: 'login', max_age: String(proofSeconds) }),
    }).href;
  }

  /** The person for whom the issuer speaks. @throws OidcError */
  async complete(visit: Visit): Promise<{ personId: string; next: string }> {
    const state = visit.query.get('state') ?? '';
    const { hash } = markBrowser(this.config, visit);
    const ceremony = await takeCeremony(this.#all, state, 'oidc', hash, this.clock.now());
    if (!ceremony || ceremony.person_id !== (visit.session?.personId ?? null)) {
      throw new OidcError('refused');
    }
    const configuration = await this.#discover();
    const url = new URL(`${this.config.consoleUrl}${path}`);
    url.search = visit.query.toString();
    const tokens = await client
      .authorizationCodeGrant(configuration, url, {
        expectedState: state,
        expectedNonce: ceremony.nonce ?? '',
        pkceCodeVerifier: ceremony.code_verifier ?? '',
        idTokenExpected: true,
      })
      .catch((error: unknown) => {
        throw new OidcError(isUnanswered(error) ? 'unreachable' : 'refused', error);
      });
    const claims = tokens.claims();
    if (!claims) {
      throw new OidcError('refused');
    }
    if (ceremony.person_id !== null) {
      this.#requireFresh(claims);
    }
    const personId = await this.#findPerson(configuration, tokens.access_token, claims);
    if (ceremony.person_id !== null && ceremony.person_id !== personId) {
      throw new OidcError('other');
    }
    return { personId, next: ceremony.next_path };
  }

  /** An issuer may leave `prompt` and `max_age` aside: then it states nothing about now. */
  #requireFresh({ auth_time, iat }: client.IDToken): void {
    if (auth_time === undefined || iat - auth_time > proofSeconds) {
      throw new OidcError('stale');
    }
  }

  async #findPerson(
    configuration: client.Configuration,
    accessToken: string,
    claims: client.IDToken,
  ): Promise<string> {
    // Many issuers put the address into the user info alone.
    const facts =
      claims.email === undefined
        ? await client.fetchUserInfo(configuration, accessToken, claims.sub).catch((error: unknown) => {
            throw new OidcError('unreachable', error);
          })
        : claims;
    if (typeof facts.email !== 'string' || facts.email_verified !== true) {
      throw new OidcError('unverified');
    }
    const person = await this.#all
      .selectFrom('person')
      .select('id')
      .where('email', '=', normaliseEmailAddress(facts.email) ?? '')
      .executeTakeFirst();
    if (!person) {
      throw new OidcError('unknown');
    }
    return person.id;
  }

  async #discover(): Promise<client.Configuration> {
    const now = performance.now();
    if (!this.#discovered || now - this.#discovered.at > discoveryMs) {
      const { oidcIssuer, oidcClientId, oidcClientSecret } = this.config;
      const found = client.discovery(
        new URL(oidcIssuer),
        oidcClientId,
        undefined,
        oidcClientSecret === '' ? client.None() : client.ClientSecretBasic(oidcClientSecret),
        {
          timeout: requestSeconds,
          execute: oidcIssuer.startsWith('http:') ? [client.allowInsecureRequests] : [],
        },
      );
      this.#discovered = { at: now, found };
    }
    const discovered = this.#discovered;
    try {
      return await discovered.found;
    } catch (error) {
      if (this.#discovered === discovered) {
        this.#discovered = undefined;
      }
      throw new OidcError('unreachable', error);
    }
  }
}

/** Whether the issuer did not answer, rather than refuse. */
function isUnanswered(error: unknown): boolean {
  if (error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')) {
    return true;
  }
  return error instanceof client.ClientError && error.code === 'OAUTH_TIMEOUT';
}
