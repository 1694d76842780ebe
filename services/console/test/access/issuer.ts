import { createServer, type Server } from 'node:http';
import { jest } from '@jest/globals';
import type { Provider } from 'oidc-provider';
import { freePort } from './ports.js';

/** What the issuer says about the person who signs in there. */
export interface Claims {
  email?: string;
  email_verified?: boolean;
}

/** A real OpenID Connect server on loopback, which signs in without a password the person of the test. */
export interface Issuer {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  claims: Claims;
  /** Follows the way of a browser from the address to which the console led. @returns where the issuer leads back to. */
  signIn(address: string): Promise<string>;
  close(): Promise<void>;
}

export async function startIssuer(callback: string): Promise<Issuer> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const issuer: Issuer = {
    url,
    clientId: 'console',
    clientSecret: 'a-secret-of-the-test',
    claims: {},
    signIn: (address) => follow(address, url),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
  const provider = await createProvider(url, {
    clients: [
      {
        client_id: issuer.clientId,
        client_secret: issuer.clientSecret,
        redirect_uris: [callback],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: async (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: async () => ({ sub, ...issuer.claims }),
    }),
    cookies: { keys: ['a-key-of-the-test'] },
    ttl: { Interaction: 600, Session: 600, Grant: 600 },
  });
  const handle = provider.callback();
  const server: Server = createServer(async (request, response) => {
    if (!request.url?.startsWith('/interaction/')) {
      handle(request, response);
      return;
    }
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login') {
      const result = { login: { accountId: 'account-of-the-test' } };
      await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
      return;
    }
    const grant = new provider.Grant({
      accountId: session?.accountId ?? '',
      clientId: String(params.client_id),
    });
    grant.addOIDCScope('openid email');
    const consent = { grantId: await grant.save() };
    await provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return issuer;
}

/** The library warns of what a server in production may not have: memory as its store, and an old Node. */
async function createProvider(url: string, configuration: object): Promise<Provider> {
  const warn = jest.spyOn(globalThis.console, 'warn').mockImplementation(() => {});
  try {
    const library = await import('oidc-provider');
    return new library.Provider(url, configuration);
  } finally {
    warn.mockRestore();
  }
}

/** Follows redirects as long as they stay at the issuer. */
async function follow(address: string, origin: string): Promise<string> {
  const cookies = new Map<string, string>();
  let at = address;
  for (let hops = 0; hops < 12; hops += 1) {
    if (!at.startsWith(origin)) {
      return at;
    }
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      signal: AbortSignal.timeout(60_000),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) {
      throw new Error(`the issuer answered ${response.status}: ${await response.text()}`);
    }
    at = new URL(location, at).href;
  }
  throw new Error('the issuer redirects without end');
}
