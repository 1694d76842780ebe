import { personalDetails } from '@pinkas/contracts';
import { pino } from 'pino';
import { currentContext } from './context.js';

export type Logger = pino.Logger;

/** What waits while standard output takes nothing; later lines are lost. */
const bufferedBytesMax = 1024 * 1024;

/** A file, or standard output. A full disk or a closed pipe loses lines, and does not end the process. */
function destinationOf(file: string): ReturnType<typeof pino.destination> {
  const destination = pino.destination({
    dest: file || process.stdout.fd,
    sync: true,
    maxLength: bufferedBytesMax,
    mode: 0o600,
  });
  destination.on('error', () => undefined);
  return destination;
}

/**
 * A logger that writes JSON lines to a file or to standard output, with the service's name and the request, trace and document of the current
 * context. Callers log ids and codes, never personal data; the redactions are the second barrier.
 * @param file appended to; empty: standard output.
 */
export function createLogger(service: string, level: string, file = ''): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: withoutData },
    mixin: logBindings,
    redact: {
      paths: ['authorization', 'password', ...personalDetails].flatMap((name) => [name, `*.${name}`]),
      censor: '[redacted]',
    },
  };
  return pino(options, destinationOf(file));
}

/** An error without the members that repeat data: PostgreSQL quotes the row, and the details of an ApiError are for its caller. */
export function withoutData(error: unknown): unknown {
  const serialized = pino.stdSerializers.errWithCause(error as Error) as unknown as Record<string, unknown>;
  if (typeof serialized !== 'object' || serialized === null) {
    return serialized;
  }
  const {
    detail: _detail,
    details: _details,
    where: _where,
    internalQuery: _internalQuery,
    ...rest
  } = serialized;
  const { aggregateErrors, cause } = rest;
  return {
    ...rest,
    ...(typeof cause === 'object' && cause !== null && { cause: withoutData(cause) }),
    ...(Array.isArray(aggregateErrors) && { aggregateErrors: aggregateErrors.map(withoutData) }),
  };
}

/** The ids of the current context, for each log line. */
export function logBindings(): { request_id?: string; trace_id?: string; document_id?: string } {
  const context = currentContext();
  if (!context) {
    return {};
  }
  const { requestId, trace, logContext } = context;
  return {
    request_id: requestId,
    ...(trace ? { trace_id: trace.span.spanContext().traceId } : {}),
    ...(logContext.document_id === undefined ? {} : { document_id: logContext.document_id }),
  };
}
