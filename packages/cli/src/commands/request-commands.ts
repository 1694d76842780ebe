import { type FullRequest, linesOfBody, showRequest } from '@pinkas/contracts';
import { modeOfBook } from '@pinkas/domain';
import { uuid } from '../builder/arguments.js';
import type { Command } from '../builder/command.js';
import { callVerb } from '../builder/verb.js';

function shownRequest(request: FullRequest): string {
  const { method, route, status, code, errors, body } = request;
  const answer = [
    String(status),
    ...(code === null ? [] : [code]),
    ...(request.replayed ? ['replayed'] : []),
  ];
  const facts = [
    `${request.timestamp}  ${method} ${route ?? '(no route)'}  ${answer.join(' ')}  ${request.duration_ms} ms`,
    `business ${request.business_id} (${modeOfBook(request.business_id)} book), key ${request.key_id}`,
    ...(request.idempotency_key === null ? [] : [`Idempotency-Key ${request.idempotency_key}`]),
    ...(request.document_id === null ? [] : [`document ${request.document_id}`]),
    ...errors.map(({ path, message }) => `${path || '/'} ${message}`),
    ...Object.entries(request.details ?? {}).map(([name, value]) => `${name} ${JSON.stringify(value)}`),
    ...(request.body_truncated ? ['the body is not kept in full'] : []),
  ];
  const lines = body === null ? [] : linesOfBody(JSON.parse(body), errors);
  const marked = lines.map(({ text, errors: found }) =>
    found.length === 0 ? text : `${text}    <-- ${found.map(({ message }) => message).join('; ')}`,
  );
  return [...facts, ...marked].join('\n');
}

/** `pinkas request …` */
export const requestCommands: readonly Command[] = [
  callVerb('request show', {
    summary: 'shows a request by the X-Request-Id of its answer, as it was answered; for 30 days',
    arguments: { ID: uuid },
    contract: showRequest,
    request: ({ ID }) => ({ request_id: ID }),
    missing: ({ ID }) =>
      `No request of a key has the id ${ID}: it is older than 30 days, above the limits of its day, or had no known key`,
    print: ({ requests }) => ({ json: requests, text: requests.map(shownRequest).join('\n\n') }),
  }),
];
