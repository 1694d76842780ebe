import type { IncomingMessage } from 'node:http';
import { type Answer, answer } from './answer.js';
import type { Clock } from './clock.js';
import { accessTokenSeconds, type OAuthStore, type Tokens } from './oauth-store.js';
import type { Options } from './options.js';

/** The only client that is known; what is missing accepts any. */
export interface KnownClient {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
}

interface Context {
  readonly known: KnownClient;
  readonly options: Options;
  readonly store: OAuthStore;
  readonly clock: Clock;
}

function oauthError(status: number, error: string, description: string, source: string): Answer {
  return answer(status, { error, error_description: description }, source);
}

/** The client is unknown, its secret is another, or it is not subscribed. */
export function wrongClient(status: number): Answer {
  const description = 'Invalid client ID or secret, or client not subscribed to this API';
  return oauthError(status, 'unauthorized_client', description, '[B] PF; status [C]');
}

/** The browser's part. The authority shows a login here; the simulator's owner consents at once, or declines. */
export function authorize(query: URLSearchParams, declines: boolean, context: Context): Answer {
  const refusal = authorizeRefusal(query, context);
  if (refusal) {
    return refusal;
  }
  const clientId = query.get('client_id') as string;
  const redirectUri = query.get('redirect_uri') as string;
  const target = new URL(redirectUri);
  if (declines) {
    target.searchParams.set('error', 'access_denied');
  } else {
    target.searchParams.set(
      'code',
      context.store.newCode(clientId, redirectUri, context.options.codeSeconds),
    );
  }
  const state = query.get('state');
  if (state !== null) {
    target.searchParams.set('state', state);
  }
  const source = declines ? '[C] RFC 6749' : '[A] PD';
  return { status: 302, body: '', headers: { location: target.href }, source };
}

function authorizeRefusal(query: URLSearchParams, { known, options }: Context): Answer | undefined {
  const clientId = query.get('client_id');
  const redirectUri = query.get('redirect_uri') ?? '';
  if (!clientId || clientId !== (known.clientId || clientId)) {
    return wrongClient(401);
  }
  if (query.get('response_type') !== 'code') {
    return oauthError(400, 'unsupported_response_type', 'Implicit grant not supported', '[A] PD, PF');
  }
  if (query.get('scope') !== 'scope') {
    return oauthError(400, 'invalid_scope', 'scope must be scope', '[C] RFC 6749');
  }
  if (!URL.canParse(redirectUri) || (options.redirectUris ?? []).length > 1) {
    return oauthError(400, 'invalid_request', 'Redirect URI missing', '[B] PF');
  }
  if (!(options.redirectUris ?? [redirectUri]).includes(redirectUri)) {
    return wrongClient(401);
  }
  return undefined;
}

/** The token endpoint. */
export function token(request: IncomingMessage, form: URLSearchParams, context: Context): Answer {
  const grantType = form.get('grant_type');
  if (!request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
    return oauthError(400, 'invalid_request', 'the body must be form-encoded', '[C] RFC 6749');
  }
  if (grantType !== 'authorization_code' && grantType !== 'refresh_token') {
    return oauthError(400, 'unsupported_grant_type', 'unknown grant_type', '[C] RFC 6749');
  }
  const { options } = context;
  const client = clientOf(
    request,
    form,
    grantType === 'refresh_token' ? options.refreshAuth : options.codeAuth,
    context,
  );
  if (typeof client !== 'string') {
    return client;
  }
  return grantType === 'refresh_token'
    ? fromRefreshToken(client, form, context)
    : fromCode(client, form, context);
}

function fromCode(client: string, form: URLSearchParams, context: Context): Answer {
  const { store, options } = context;
  const code = form.get('code') ?? '';
  if (code === '') {
    return oauthError(400, 'invalid_request', 'Missing authorization code', '[A] PF');
  }
  switch (store.useCode(client, code, form.get('redirect_uri') ?? '')) {
    case 'unknown':
      return invalidGrant(client, 'Failed to verify oauth request signature', '[A] PF');
    case 'used':
      return invalidGrant(client, 'Authorization code was used before, message rejected', '[A] PF');
    case 'other address': {
      const description =
        'Redirect URI specified in the request is not configured in the client subscription';
      return oauthError(400, 'invalid_request', description, '[B] PF');
    }
    case 'ok':
      return tokensAnswer(store.begin(client, options));
  }
}

function fromRefreshToken(client: string, form: URLSearchParams, { store, options }: Context): Answer {
  const tokens = store.refresh(client, form.get('refresh_token') ?? '', options);
  return tokens
    ? tokensAnswer(tokens)
    : invalidGrant(client, 'the refresh token is not valid', '[C] RFC 6749');
}

function invalidGrant(client: string, description: string, source: string): Answer {
  return oauthError(400, 'invalid_grant', `*[${client}] ${description}*`, source);
}

/** PD states that `consented_on` counts refreshes; its sample is a Unix time, as here. */
function tokensAnswer({ accessToken, refreshToken, login, refreshSeconds }: Tokens): Answer {
  const body = {
    token_type: 'Bearer',
    access_token: accessToken,
    scope: 'scope',
    expires_in: accessTokenSeconds,
    consented_on: login.at,
    refresh_token: refreshToken,
    refresh_token_expires_in: refreshSeconds,
  };
  return { status: 200, body, headers: { 'cache-control': 'no-store' }, source: '[A] PD, PF' };
}

/** The client where its credentials are expected and right, else the refusal. */
function clientOf(
  request: IncomingMessage,
  form: URLSearchParams,
  place: 'basic' | 'body' | 'either',
  { known, options }: Context,
): string | Answer {
  const found = [
    ...(place === 'body' ? [] : [basicOf(request)]),
    ...(place === 'basic' ? [] : [pairOf(form.get('client_id'), form.get('client_secret'))]),
  ].filter((pair) => pair !== undefined);
  if (found.length === 0) {
    return oauthError(
      401,
      'invalid_client',
      `client id and secret are missing (${place})`,
      '[C] RFC 6749; PD, OL',
    );
  }
  const right = found.find(
    ([id, secret]) =>
      (!known.clientId || id === known.clientId) && (!known.clientSecret || secret === known.clientSecret),
  );
  return right?.[0] ?? wrongClient(options.wrongClientStatus);
}

/** The client that a token request names, right or wrong. */
export function clientIdOf(request: IncomingMessage, form: URLSearchParams): string {
  return form.get('client_id') ?? basicOf(request)?.[0] ?? '';
}

function basicOf(request: IncomingMessage): readonly [string, string] | undefined {
  const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const [id, ...rest] = Buffer.from(basic ?? '', 'base64')
    .toString('utf8')
    .split(':');
  return pairOf(id, rest.join(':'));
}

function pairOf(
  id: string | null | undefined,
  secret: string | null | undefined,
): readonly [string, string] | undefined {
  return id && secret ? [id, secret] : undefined;
}
