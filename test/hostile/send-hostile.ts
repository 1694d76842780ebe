import { Agent } from 'node:http';
import { errorCatalogue } from '@pinkas/contracts';
import { send } from '../harness/send.js';
import { type HostileRequest, HostileRequests, randomFrom } from './hostile-request.js';

const lanes = 8;
const answerTimeoutMs = 25_000;

/** The answers to hostile requests. */
export interface HostileReport {
  requests: number;
  /** How many answers had each status; `closed` counts connections that ended without one. */
  statuses: Record<string, number>;
  /** Answers that no caller may get, at most ten: a 5xx, a body that is no error object, a code that is not in the catalogue. */
  findings: string[];
  latenciesMs: number[];
}

interface Answer {
  status: number;
  text: string;
}

/** Sends `count` hostile requests, the same for the same seed, over a few connections, and judges the answers. */
export async function sendHostile(
  target: { baseUrl: string; key: string },
  { count, seed, progress = () => {} }: { count: number; seed: number; progress?: (sent: number) => void },
): Promise<HostileReport> {
  const report: HostileReport = { requests: 0, statuses: {}, findings: [], latenciesMs: [] };
  const source = new HostileRequests(randomFrom(seed), target.key);
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  let begun = 0;
  const lane = async () => {
    while (begun < count) {
      begun += 1;
      const hostile = source.next();
      const startedMs = performance.now();
      const { method, path, headers, body } = hostile;
      const answer = await send(agent, target.baseUrl, {
        method,
        path,
        headers: { ...headers, 'content-length': body.length },
        body,
        timeoutMs: answerTimeoutMs,
      }).catch((error: Error) => `no answer (${error.message})`);
      report.latenciesMs.push(performance.now() - startedMs);
      judge(report, hostile, answer);
      report.requests += 1;
      if (report.requests % 5_000 === 0) {
        progress(report.requests);
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  agent.destroy();
  return report;
}

function judge(report: HostileReport, hostile: HostileRequest, answer: Answer | string): void {
  const status = typeof answer === 'string' ? 'closed' : String(answer.status);
  report.statuses[status] = (report.statuses[status] ?? 0) + 1;
  const finding = typeof answer === 'string' ? answer : findingOf(hostile, answer);
  if (finding !== null && report.findings.length < 10) {
    const { method, path, body } = hostile;
    report.findings.push(
      `${finding}: ${method} ${path.slice(0, 100)} ${body.toString('latin1').slice(0, 300)}`,
    );
  }
}

function findingOf({ method }: HostileRequest, { status, text }: Answer): string | null {
  if (status >= 500) {
    return `status ${status}`;
  }
  if (status < 400 || method === 'HEAD') {
    return null;
  }
  try {
    const { error, request_id } = JSON.parse(text) as { error?: { code?: string }; request_id?: unknown };
    const isKnown = error?.code !== undefined && Object.hasOwn(errorCatalogue, error.code);
    return isKnown && typeof request_id === 'string' ? null : `status ${status} without an error object`;
  } catch {
    return `status ${status} with a body that is no JSON`;
  }
}
