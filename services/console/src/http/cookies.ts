import type { ConsoleConfig } from '../config.js';

/** The names of the cookies. With HTTPS no other host of the domain can set them (RFC 6265bis, 4.1.3.2). */
export function cookieNames({ consoleUrl }: Pick<ConsoleConfig, 'consoleUrl'>) {
  const prefix = consoleUrl.startsWith('https:') ? '__Host-' : '';
  return { session: `${prefix}session`, csrf: `${prefix}csrf`, browser: `${prefix}browser` } as const;
}
