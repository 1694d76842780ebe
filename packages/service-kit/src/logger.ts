import { pino } from 'pino';
import { currentContext } from './context.js';

export type Logger = pino.Logger;

/**
 * A logger that writes one JSON object a line to standard output, with the service's name and the request id of the
 * work in hand. Callers log ids and codes, never personal data; the redactions are the second wall.
 */
export function createLogger(service: string, level: string): Logger {
  return pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    mixin: () => {
      const context = currentContext();
      return context ? { request_id: context.requestId } : {};
    },
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
