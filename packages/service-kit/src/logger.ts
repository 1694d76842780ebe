import { pino } from 'pino';
import { currentContext } from './context.js';

export type Logger = pino.Logger;

/**
 * A logger that writes one JSON object a line to standard output, with the service's name and the request id, the trace and
 * the document of the work in hand. Callers log ids and codes, never personal data; the redactions are the second wall.
 */
export function createLogger(service: string, level: string): Logger {
  return pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: withoutData },
    mixin: idsInHand,
    redact: {
      paths: [
        'authorization',
        '*.authorization',
        'password',
        '*.password',
        'email',
        '*.email',
        'phone',
        '*.phone',
        'tax_id',
        '*.tax_id',
      ],
      censor: '[redacted]',
    },
  });
}

/**
 * An error as it is logged, without the members that repeat data: PostgreSQL quotes the row that it is about, a problem's
 * details are for its caller. What the code and the constraint say is enough.
 */
function withoutData(error: unknown): unknown {
  const serialized = pino.stdSerializers.errWithCause(error as Error) as unknown as Record<string, unknown>;
  if (typeof serialized !== 'object' || serialized === null) return serialized;
  const {
    detail: _detail,
    details: _details,
    where: _where,
    internalQuery: _internalQuery,
    ...rest
  } = serialized;
  return typeof rest.cause === 'object' && rest.cause !== null
    ? { ...rest, cause: withoutData(rest.cause) }
    : rest;
}

/** The ids that a line in the log bears of the work in hand. */
export function idsInHand(): { request_id?: string; trace_id?: string; document_id?: string } {
  const context = currentContext();
  if (!context) return {};
  const { requestId, trace, subject } = context;
  return {
    request_id: requestId,
    ...(trace ? { trace_id: trace.span.spanContext().traceId } : {}),
    ...(subject.document_id === undefined ? {} : { document_id: subject.document_id }),
  };
}
