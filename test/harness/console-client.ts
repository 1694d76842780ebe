/** An answer of the console. */
export interface ConsoleAnswer {
  readonly status: number;
  readonly location: string | null;
  readonly text: string;
  /** Whether a browser shows it, and runs what is in it. */
  readonly isPage: boolean;
}

/** A request to the console; a body makes it a POST. */
export interface ConsoleRequest {
  readonly body?: URLSearchParams | FormData | undefined;
  readonly timeoutMs?: number;
}

/** A browser without scripts: it keeps cookies, and follows no redirect. */
export class ConsoleClient {
  readonly cookies = new Map<string, string>();

  constructor(readonly origin: string) {}

  async exchange(path: string, { body, timeoutMs = 30_000 }: ConsoleRequest = {}): Promise<ConsoleAnswer> {
    const response = await fetch(new URL(path, this.origin), {
      method: body ? 'POST' : 'GET',
      headers: {
        'accept-language': 'en',
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
      ...(body && { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, value);
    }
    const { status, headers } = response;
    const isPage = headers.get('content-type')?.startsWith('text/html') ?? false;
    return { status, location: headers.get('location'), text: await response.text(), isPage };
  }

  /** Signs in by a link that the operator prints. */
  async signIn(url: string): Promise<void> {
    const { pathname } = new URL(url);
    const [form] = formsIn((await this.exchange(pathname)).text).filter(({ path }) => path === pathname);
    const { status, text } = await this.exchange(pathname, { body: new URLSearchParams(form?.fields) });
    if (status !== 303) {
      throw new Error(`no person is signed in: ${status} ${text}`);
    }
  }
}

/** A form of a page. */
export interface PageForm {
  readonly method: 'get' | 'post';
  readonly path: string;
  /** What a browser sends where nothing is typed, and the names of what is empty. */
  readonly fields: Record<string, string>;
}

const unescaped = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

const attribute = (tag: string, name: string) =>
  unescaped(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '');

/** The forms of a page, with the token of each. */
export function formsIn(page: string): PageForm[] {
  return [...page.matchAll(/(<form[^>]*>)(.*?)<\/form>/gs)].map(([, head = '', content = '']) => {
    const controls = content.matchAll(/<(input|textarea|select|button)[^>]* name="[^"]*"[^>]*>([^<]*)/g);
    const fields: Record<string, string> = {};
    for (const [tag, kind = '', text = ''] of controls) {
      const name = attribute(tag, 'name');
      const isLeft = /type="(checkbox|radio)"/.test(tag) && !/ checked/.test(tag) && name in fields;
      // One that sends the form as it is keeps a draft: the form does nothing else then.
      const isPressed = kind === 'button' && !(name in fields) && !tag.includes(' formnovalidate');
      if (kind === 'button' ? isPressed : !isLeft) {
        fields[name] = kind === 'textarea' ? unescaped(text) : attribute(tag, 'value');
      }
    }
    for (const [, name = '', value = ''] of content.matchAll(
      /<select[^>]* name="([^"]*)"[^>]*>.*?<option value="([^"]*)"/gs,
    )) {
      fields[name] = unescaped(value);
    }
    const method = /method="post"/i.test(head) ? 'post' : 'get';
    return { method, path: attribute(head, 'action'), fields };
  });
}
