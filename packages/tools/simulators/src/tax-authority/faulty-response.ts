import type { ServerResponse } from 'node:http';
import { send } from '@pinkas/service-kit/http';
import { type Call, hangMaxMs, pause } from '../http.js';
import { type Answer, gateway, withErrorId } from './answer.js';
import type { ReceivedCall } from './call-log.js';
import type { Clock } from './clock.js';
import type { Fault } from './faults.js';
import { wrongClient } from './oauth.js';

/** Answers a call, or fails in the way that was set. */
export async function respond(
  {
    response,
    call,
    received,
  }: { readonly response: ServerResponse; readonly call: Call; readonly received: ReceivedCall },
  fault: Fault | undefined,
  act: () => Answer,
  clock: Clock,
): Promise<void> {
  const failure = fault && failureOf(fault, clock);
  // Carried out before any wait: a caller who does not wait misses it.
  const given = !failure || fault.granted || fault.mode === 'lost' ? act() : undefined;
  if (fault && fault.delay_ms > 0 && !(await pause(fault.delay_ms, call.gone))) {
    return;
  }
  if (failure === 'hang') {
    await pause(hangMaxMs, call.gone);
  }
  if (failure === 'hang' || failure === 'cut') {
    response.destroy();
    return;
  }
  const answer = failure ?? (given as Answer);
  received.source = answer.source;
  const isText = typeof answer.body === 'string';
  const body = Buffer.from(isText ? (answer.body as string) : JSON.stringify(answer.body));
  for (const [name, value] of Object.entries(answer.headers ?? {})) {
    response.setHeader(name, value);
  }
  response.setHeader('x-simulator-source', answer.source);
  send(
    response,
    answer.status,
    isText ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    body,
  );
}

/** What is sent in place of the answer; undefined where the call is answered. */
function failureOf(fault: Fault, clock: Clock): Answer | 'hang' | 'cut' | undefined {
  const headers = fault.retry_after === null ? {} : { 'retry-after': String(fault.retry_after) };
  switch (fault.mode) {
    case 'ok':
    case 'refuse':
    case 'foreign':
      return undefined;
    case 'hang':
      return 'hang';
    case 'cut':
    case 'lost':
      return 'cut';
    case 'malformed':
      return { status: 200, body: '{"status":200,"message":"Invoice app', source: '[C] half a body' };
    case 'error':
      return withErrorId(500, clock.now(), '[A] OA');
    case 'not_permitted':
      return withErrorId(406, clock.now(), '[A] OA, P1, PF');
    case 'unauthorized':
      return gateway(401, '[A] PF');
    case 'forbidden':
      return gateway(403, '[A] P1; the body [C]');
    case 'not_found':
      return gateway(404, '[A] P1');
    case 'rate':
      return gateway(429, '[C] the gateway, where a plan is exceeded', undefined, headers);
    case 'unavailable':
      return gateway(503, '[C] the gateway', undefined, headers);
    case 'abroad':
      return { status: 403, body: '<html><body>Forbidden</body></html>', source: '[A] MS, OL, GW' };
    case 'wrong_client':
      return wrongClient(401);
    case 'status':
      return gateway(fault.status, '[C] a status on request', undefined, headers);
  }
}
