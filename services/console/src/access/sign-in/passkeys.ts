import { Injectable } from '@nestjs/common';
import {
  acrossTenants,
  type Clock,
  type Database,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  type Logger,
} from '@pinkas/service-kit';
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { ConsoleConfig } from '../../config.js';
import type { ConsoleTables } from '../../db/console.tables.js';
import type { CeremonyKind, CeremonyTable } from '../../db/sign-in.tables.js';
import type { PersonVisit, Visit } from '../../http/visit.js';
import { markBrowser } from './browser-cookie.js';
import {
  findPasskey,
  insertPasskey,
  listPasskeys,
  type PasskeyRow,
  passkeysMax,
  recordUse,
} from './passkey.repository.js';
import { insertCeremony, takeCeremony } from './sign-in.repository.js';

/** How many characters a name has at most. */
export const passkeyNameMax = 60;
const responseMax = 20_000;

/** A passkey was refused; the message is for the log. */
export class PasskeyError extends Error {
  override readonly name = 'PasskeyError';
}

/** What the responses of browsers to both ceremonies have. */
interface ClientResponse {
  readonly id: string;
  readonly response: { readonly clientDataJSON: string };
}

/** Reads what a browser has sent. The library checks the rest of it. */
function readResponse<T extends ClientResponse>(text: string | null): { response: T; challenge: string } {
  try {
    if (text === null || text.length > responseMax) {
      throw new Error('no response');
    }
    const response = JSON.parse(text) as T;
    const clientData = JSON.parse(Buffer.from(response.response.clientDataJSON, 'base64url').toString()) as {
      challenge?: unknown;
    };
    if (typeof response.id !== 'string' || typeof clientData.challenge !== 'string') {
      throw new Error('no challenge');
    }
    return { response, challenge: clientData.challenge };
  } catch (error) {
    throw new PasskeyError('the response cannot be read', { cause: error });
  }
}

/** The ceremonies of passkeys. The authenticator must verify its user, so a passkey is a whole proof. */
@Injectable()
export class Passkeys {
  readonly #all: Database<ConsoleTables>;
  readonly #rpId: string;

  constructor(
    @InjectDatabase() db: Database<ConsoleTables>,
    @InjectConfig() private readonly config: Pick<ConsoleConfig, 'consoleUrl'>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
  ) {
    this.#all = acrossTenants(db);
    this.#rpId = new URL(config.consoleUrl).hostname;
  }

  /** What a browser needs to make a passkey. */
  async begin(visit: PersonVisit): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { session } = visit;
    const known = await listPasskeys(this.#all, session.personId);
    const options = await generateRegistrationOptions({
      rpName: 'Pinkas',
      rpID: this.#rpId,
      userName: session.email,
      userDisplayName: session.email,
      userID: new Uint8Array(Buffer.from(session.personId)),
      attestationType: 'none',
      excludeCredentials: known.map(({ credential_id, transports }) => ({ id: credential_id, transports })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    await this.#insert(visit, options.challenge, 'new_passkey', '/account');
    return options;
  }

  /** Stores a passkey that a browser has made. @throws PasskeyError */
  async add(visit: PersonVisit): Promise<void> {
    const { session, form } = visit;
    const { response, challenge } = readResponse<RegistrationResponseJSON>(form.get('response'));
    const ceremony = await this.#take(visit, challenge, 'new_passkey');
    if (ceremony.person_id !== session.personId) {
      throw new PasskeyError('another person began it');
    }
    if ((await listPasskeys(this.#all, session.personId)).length >= passkeysMax) {
      throw new PasskeyError('the person has as many passkeys as are allowed');
    }
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: this.config.consoleUrl,
      expectedRPID: this.#rpId,
      requireUserVerification: true,
    }).catch((error: unknown) => {
      throw new PasskeyError('the response is not valid', { cause: error });
    });
    if (!verified) {
      throw new PasskeyError('the response is not verified');
    }
    const { credential } = registrationInfo;
    if (await findPasskey(this.#all, credential.id)) {
      throw new PasskeyError('the passkey is known');
    }
    await insertPasskey(this.#all, {
      person_id: session.personId,
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: credential.transports ?? [],
      name: readName(form.get('name')),
      created_at: this.clock.now(),
    });
    this.logger.info({ person_id: session.personId }, 'passkey added');
  }

  /** What a browser needs to use a passkey of any person. */
  async challenge(visit: Visit, next: string): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const options = await generateAuthenticationOptions({ rpID: this.#rpId, userVerification: 'required' });
    await this.#insert(visit, options.challenge, 'passkey', next);
    return options;
  }

  /** The person whose passkey a browser has used. @throws PasskeyError */
  async verify(visit: Visit): Promise<{ personId: string; next: string }> {
    const { response, challenge } = readResponse<AuthenticationResponseJSON>(visit.form.get('response'));
    const ceremony = await this.#take(visit, challenge, 'passkey');
    const passkey = await findPasskey(this.#all, response.id);
    if (!passkey) {
      throw new PasskeyError('the passkey is not known');
    }
    const { userHandle } = response.response;
    if (typeof userHandle !== 'string' && userHandle != null) {
      throw new PasskeyError('the person is no text');
    }
    if (userHandle != null && Buffer.from(userHandle, 'base64url').toString() !== passkey.person_id) {
      throw new PasskeyError('the passkey is of another person');
    }
    const counter = await this.#check(response, challenge, passkey);
    if (!(await recordUse(this.#all, passkey, counter, this.clock.now()))) {
      throw new PasskeyError('the passkey was used at the same time');
    }
    return { personId: passkey.person_id, next: ceremony.next_path };
  }

  async #check(
    response: AuthenticationResponseJSON,
    challenge: string,
    passkey: PasskeyRow,
  ): Promise<number> {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: this.config.consoleUrl,
      expectedRPID: this.#rpId,
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(passkey.public_key),
        counter: Number(passkey.counter),
      },
    }).catch((error: unknown) => {
      throw new PasskeyError('the response is not valid', { cause: error });
    });
    if (!verified) {
      throw new PasskeyError('the signature is wrong');
    }
    return authenticationInfo.newCounter;
  }

  #insert(visit: Visit, challenge: string, kind: CeremonyKind, next: string): Promise<void> {
    return insertCeremony(
      this.#all,
      challenge,
      {
        kind,
        browser_hash: markBrowser(this.config, visit).hash,
        person_id: visit.session?.personId ?? null,
        nonce: null,
        code_verifier: null,
        next_path: next,
      },
      this.clock.now(),
    );
  }

  async #take(
    visit: Visit,
    challenge: string,
    kind: CeremonyKind,
  ): Promise<Pick<CeremonyTable, 'person_id' | 'next_path'>> {
    const { hash } = markBrowser(this.config, visit);
    const ceremony = await takeCeremony(this.#all, challenge, kind, hash, this.clock.now());
    if (!ceremony) {
      throw new PasskeyError('the challenge is not known');
    }
    return ceremony;
  }
}

/** The name that a person gives a passkey; null and spaces: none. */
export function readName(given: string | null): string {
  return (given ?? '').replaceAll(/\s+/g, ' ').trim();
}
