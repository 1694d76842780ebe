/** A reply as a browser sees it. */
export interface BrowserReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Where it leads; null: nowhere. */
  readonly location: string | null;
  /** The `Set-Cookie` headers. */
  readonly cookies: readonly string[];
}

const unescaped = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** What a person reads of a page. */
export const textOf = (markup: string) =>
  markup
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll(/[\u2066-\u2069]/g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[),:])|(?<=\() /g, '')
    .trim();

/** What a browser sends of the fields of a page that is unchanged, without files. */
export function fieldsIn(page: string): Record<string, string> {
  const value = (tag: string) => unescaped(/ value="([^"]*)"/.exec(tag)?.[1] ?? '');
  const inputs = [...page.matchAll(/<input[^>]* name="([a-z0-9_.]+)"[^>]*>/g)]
    .filter(([tag]) => !/type="(checkbox|radio|file)"/.test(tag) || / checked/.test(tag))
    .map(([tag, name = '']) => [name, value(tag)]);
  const areas = [...page.matchAll(/<textarea[^>]* name="([a-z0-9_.]+)"[^>]*>([^<]*)</g)].map(
    ([, name = '', text = '']) => [name, unescaped(text)],
  );
  const choices = [...page.matchAll(/<select[^>]* name="([a-z0-9_.]+)"[^>]*>(.*?)<\/select>/gs)].map(
    ([, name = '', options = '']) => [name, value(/<option[^>]* selected[^>]*>/.exec(options)?.[0] ?? '')],
  );
  return Object.fromEntries([...inputs, ...areas, ...choices]);
}

/** A browser without scripts: it keeps cookies, and sends forms with the token of the last page that it loaded. */
export class TestBrowser {
  readonly cookies = new Map<string, string>();
  /** What each request has besides cookies. */
  readonly headers: Record<string, string> = {
    'accept-language': 'en',
    'user-agent':
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
  };
  /** The token of the last page. */
  csrfToken = '';

  constructor(readonly origin: string) {}

  async get(path: string, headers: Record<string, string> = {}): Promise<BrowserReply> {
    return this.#request(path, { method: 'GET', headers });
  }

  /** Follows redirects within the console, as a browser does. */
  async open(path: string): Promise<BrowserReply & { path: string }> {
    let at = path;
    for (let hops = 0; hops < 10; hops += 1) {
      const reply = await this.get(at);
      if (reply.location === null) {
        return { ...reply, path: at };
      }
      at = reply.location;
    }
    throw new Error(`${path} redirects without end`);
  }

  /** Sends a form; `_csrf` is that of the last page unless the fields name another. A field may have several values. */
  async post(
    path: string,
    fields: Record<string, string | readonly string[]> = {},
    headers: Record<string, string> = {},
  ): Promise<BrowserReply> {
    const pairs = Object.entries({ _csrf: this.csrfToken, ...fields }).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, each]),
    );
    return this.#request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(pairs).toString(),
    });
  }

  async #request(
    path: string,
    init: { method: string; headers: Record<string, string>; body?: string },
  ): Promise<BrowserReply> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(path, this.origin), {
      ...init,
      headers: { ...this.headers, ...(cookie === '' ? {} : { cookie }), ...init.headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
    });
    const cookies = response.headers.getSetCookie();
    for (const line of cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/;\s*max-age=0/i.test(line)) {
        this.cookies.delete(name);
      } else {
        this.cookies.set(name, value);
      }
    }
    const text = await response.text();
    this.csrfToken = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? this.csrfToken;
    return {
      status: response.status,
      headers: response.headers,
      text,
      location: response.headers.get('location'),
      cookies,
    };
  }
}
