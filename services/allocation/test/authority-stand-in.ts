import { StandIn } from '@pinkas/testkit';
import type { ApprovalRequest } from '../src/authority/approval-request.js';

/** What the stand-in plays; see its own page. */
export type AuthorityMode = 'ok' | 'refuse' | 'error' | 'hang' | 'malformed';

interface Calls {
  calls: { path: string; body: Partial<ApprovalRequest> & { grant_type?: string }; status: number | null }[];
  granted: { invoice_id: string; confirmation_number: string }[];
}

/** The simulator of the tax authority as a process of its own, so that it can die. */
export interface AuthorityStandIn {
  /** For `TAX_AUTHORITY_URL`. */
  readonly url: string;
  mode(mode: AuthorityMode, delayMs?: number): Promise<void>;
  calls(): Promise<Calls>;
  /** The approvals that were asked for one document, oldest first. */
  approvalsOf(documentId: string): Promise<Partial<ApprovalRequest>[]>;
  tokenCalls(): Promise<string[]>;
  /** Ends the process at once. */
  kill(): Promise<void>;
  /** Starts it again on the same port; what it keeps in memory is gone. */
  restart(): Promise<void>;
}

/** @param dataDir where refresh tokens and grants survive a restart. */
export async function startAuthorityStandIn(dataDir: string): Promise<AuthorityStandIn> {
  let running = await StandIn.start('tax-authority', { DATA_DIR: dataDir });
  const root = running.url;
  const { port } = new URL(root);
  const read = () => running.read<Calls>('/_calls');
  return {
    url: `${root}/shaam/tsandbox`,
    mode: (mode, delayMs = 0) => running.mode({ mode, delay_ms: delayMs }),
    calls: read,
    approvalsOf: async (documentId) =>
      (await read()).calls
        .filter((call) => call.path.endsWith('/Approval') && call.body?.invoice_id === documentId)
        .map((call) => call.body),
    tokenCalls: async () => (await read()).calls.flatMap((call) => call.body?.grant_type ?? []),
    kill: () => running.kill(),
    restart: async () => {
      await running.kill();
      running = await StandIn.start('tax-authority', { DATA_DIR: dataDir, PORT: port });
    },
  };
}
