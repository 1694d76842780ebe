import { randomBytes } from 'node:crypto';
import type { ConsoleConfig } from '../../config.js';
import type { SetCookie } from '../../http/console-page.js';
import { cookieNames } from '../../http/cookies.js';
import type { Visit } from '../../http/visit.js';
import { hashToken } from '../../session/session.repository.js';

/** Longer than any link or proof is valid. */
const maxAgeSeconds = 60 * 60;
const form = /^[\w-]{43}$/;

/** Marks the browser that begins to sign in, until it has. */
interface BrowserMark {
  readonly hash: Buffer;
  /** For the reply: it makes the mark last. */
  readonly cookie: SetCookie;
}

/** The mark of the browser; a new one where it has none. */
export function markBrowser(config: Pick<ConsoleConfig, 'consoleUrl'>, { cookies }: Visit): BrowserMark {
  const { browser: name } = cookieNames(config);
  const known = cookies[name];
  const value = known && form.test(known) ? known : randomBytes(32).toString('base64url');
  return { hash: hashToken(value), cookie: { name, value, maxAgeSeconds } };
}

/** Removes the mark. */
export function unmarkBrowser(config: Pick<ConsoleConfig, 'consoleUrl'>): SetCookie {
  return { name: cookieNames(config).browser, value: '', maxAgeSeconds: 0 };
}
