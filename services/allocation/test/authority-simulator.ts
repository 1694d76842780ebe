import { Simulator } from '@pinkas/testkit';
import type { ApprovalRequest } from '../src/authority/approval-request.js';

/** The modes of the simulator. */
export type AuthorityMode =
  | 'ok'
  | 'refuse'
  | 'error'
  | 'hang'
  | 'malformed'
  | 'lost'
  | 'foreign'
  | 'unauthorized'
  | 'forbidden';

interface Calls {
  calls: { path: string; body: Partial<ApprovalRequest> & { grant_type?: string }; status: number | null }[];
  granted: { invoice_id: string; confirmation_number: string }[];
  asked: Record<string, number>;
  look_ups: { invoice_id: string; found: boolean }[];
  token_uses: { grant_type: string; given: boolean }[];
}

/** The simulator of the tax authority as a process of its own, so that it can die. */
export interface AuthoritySimulator {
  /** For `TAX_AUTHORITY_URL`. */
  readonly url: string;
  mode(mode: AuthorityMode, delayMs?: number): Promise<void>;
  /** Sets a mode for so many requests, or for one document. */
  setMode(mode: {
    mode: AuthorityMode;
    delay_ms?: number;
    times?: number;
    invoice_id?: string;
  }): Promise<void>;
  /** Takes every mode back. */
  resetModes(): Promise<void>;
  calls(): Promise<Calls>;
  grantsOf(documentId: string): Promise<Calls['granted']>;
  lookUpsOf(documentId: string): Promise<Calls['look_ups']>;
  /** Agrees as the owner of a business does. @returns the address that the browser is sent back to. */
  approveAsOwner(authorizeUrl: string): Promise<URL>;
  /** Turns a refresh token in, as the service does. */
  useRefreshToken(refreshToken: string): Promise<void>;
  /** The approvals that were asked for one document, oldest first. */
  approvalsOf(documentId: string): Promise<Partial<ApprovalRequest>[]>;
  tokenCalls(): Promise<string[]>;
  /** Ends the process at once. */
  kill(): Promise<void>;
  /** Starts it again on the same port; what it keeps in memory is gone. */
  restart(): Promise<void>;
}

/** @param dataDir where refresh tokens and grants survive a restart. */
export async function startAuthoritySimulator(dataDir: string): Promise<AuthoritySimulator> {
  const running = await Simulator.start('tax-authority', { DATA_DIR: dataDir });
  const root = running.url;
  const read = () => running.read<Calls>('/_calls');
  return {
    url: `${root}/shaam/tsandbox`,
    mode: (mode, delayMs = 0) => running.mode({ mode, delay_ms: delayMs }),
    setMode: (mode) => running.mode(mode),
    resetModes: () => running.mode({ reset: true }),
    calls: read,
    grantsOf: async (documentId) => (await read()).granted.filter((grant) => grant.invoice_id === documentId),
    lookUpsOf: async (documentId) =>
      (await read()).look_ups.filter((lookUp) => lookUp.invoice_id === documentId),
    useRefreshToken: async (refreshToken) => {
      const response = await fetch(`${root}/shaam/tsandbox/longtimetoken/oauth2/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from('client:secret').toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }),
      });
      if (!response.ok) {
        throw new Error(await response.text());
      }
    },
    approveAsOwner: async (authorizeUrl) => {
      const response = await fetch(authorizeUrl, { redirect: 'manual' });
      return new URL(response.headers.get('location') ?? '');
    },
    approvalsOf: async (documentId) =>
      (await read()).calls
        .filter((call) => call.path.endsWith('/Approval') && call.body?.invoice_id === documentId)
        .map((call) => call.body),
    tokenCalls: async () => (await read()).calls.flatMap((call) => call.body?.grant_type ?? []),
    kill: () => running.kill(),
    restart: () => running.restart(),
  };
}
