import { Simulator } from '@pinkas/testkit';
import type { ApprovalRequest } from '../src/authority/approval-request.js';

/** The modes of the simulator that are used here. */
export type AuthorityMode =
  | 'ok'
  | 'refuse'
  | 'error'
  | 'hang'
  | 'malformed'
  | 'lost'
  | 'foreign'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'not_permitted'
  | 'rate'
  | 'status';

/** A fault, see the simulator. */
export interface AuthorityFault {
  mode: AuthorityMode | 'rejected';
  delay_ms?: number;
  times?: number;
  invoice_id?: string;
  operation?: 'approval' | 'information' | 'minimum' | 'token' | 'donation';
  code?: number;
  status?: number;
  retry_after?: number;
}

/** A data error that no paper describes: it ends the attempts at once. */
const rejected = { mode: 'refuse', code: 499 } as const;

interface Calls {
  calls: { path: string; body: Partial<ApprovalRequest> & { grant_type?: string }; status: number | null }[];
  granted: { invoice_id: string; confirmation_number: string }[];
  asked: Record<string, number>;
  look_ups: { invoice_reference_number: string | null; invoice_id: string | null; found: boolean }[];
  token_uses: { grant_type: string; given: boolean }[];
}

/** The simulator of the tax authority as a process of its own, so that it can die. */
export interface AuthoritySimulator {
  /** For `TAX_AUTHORITY_URL`. */
  readonly url: string;
  mode(mode: AuthorityMode, delayMs?: number): Promise<void>;
  /** Sets a fault, for so many requests, one operation or one document. */
  setMode(fault: AuthorityFault): Promise<void>;
  /** Sets what the papers leave open. */
  options(options: Record<string, unknown>): Promise<void>;
  /** Sets its clock, for tokens and dates. */
  setClock(now: Date): Promise<void>;
  /** Decides the hearing about a refused number for the business. */
  winHearing(documentId: string): Promise<void>;
  /** Takes every mode back. */
  resetModes(): Promise<void>;
  calls(): Promise<Calls>;
  grantsOf(documentId: string): Promise<Calls['granted']>;
  /** By the printed number of the document. */
  lookUpsOf(number: number): Promise<Calls['look_ups']>;
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
  const running = await Simulator.start('tax-authority', {
    DATA_DIR: dataDir,
    CLIENT_ID: 'client',
    CLIENT_SECRET: 'secret',
  });
  const post = async (path: string, body: object) => {
    const response = await fetch(`${root}${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) {
      throw new Error(await response.text());
    }
  };
  const root = running.url;
  const read = () => running.read<Calls>('/_calls');
  return {
    url: `${root}/shaam/tsandbox`,
    mode: (mode, delayMs = 0) => running.mode({ mode, delay_ms: delayMs }),
    setMode: (fault) => running.mode(fault.mode === 'rejected' ? { ...fault, ...rejected } : fault),
    options: (options) => post('/_options', options),
    setClock: (now) => post('/_clock', { now: now.toISOString() }),
    winHearing: (documentId) => post('/_authority', { won: documentId }),
    resetModes: () => running.mode({ reset: true }),
    calls: read,
    grantsOf: async (documentId) => (await read()).granted.filter((grant) => grant.invoice_id === documentId),
    lookUpsOf: async (number) =>
      (await read()).look_ups.filter((lookUp) => lookUp.invoice_reference_number === String(number)),
    useRefreshToken: async (refreshToken) => {
      const response = await fetch(`${root}/shaam/tsandbox/longtimetoken/oauth2/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: refreshToken,
          client_id: 'client',
          client_secret: 'secret',
        }),
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
