import { fastifyCookie as cookie } from '@fastify/cookie';
import { withPlainBreaks } from '@pinkas/domain';
import { networkOf } from '@pinkas/service-kit/http';
import type { FastifyRequest } from 'fastify';
import type { FoundSession } from '../session/session.repository.js';
import { usualForm } from './form-limits.js';
import type { UploadedFile, Visit } from './visit.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose form it is, where it is one; undefined: not known. */
    found?: FoundSession | null | undefined;
  }
  interface FastifyContextConfig {
    /** Whether the form of the route has files. */
    files?: boolean;
    /** How many fields the form of the route may have. */
    fields?: number;
  }
}

/** A request before anything of it was checked. */
export interface RawVisit
  extends Omit<Visit, 'session' | 'memberships' | 'outcome' | 'language' | 't' | 'csrfToken'> {
  /** Whether it asks for the head of a response alone. */
  readonly isHead: boolean;
  /** The request header Accept-Language. */
  readonly acceptLanguage: string;
  /** The token of the form that was sent; empty for GET. */
  readonly sentToken: string;
  /** Whether the browser states that a page of another site sent the form. */
  readonly isFromAnotherSite: boolean;
  /** The session of a form, which is found before its body is read; undefined where it is not known yet. */
  readonly found?: FoundSession | null | undefined;
}

interface SentForm {
  readonly form: URLSearchParams;
  readonly files: Record<string, UploadedFile>;
}

/** Reads a form without files. Browsers send a line break as two characters and count it as one. */
export async function parseForm(request: FastifyRequest, text: string): Promise<SentForm> {
  // Each field costs time, and a short one two bytes.
  const { fields = usualForm.fields } = request.routeOptions.config;
  if (text.split('&', fields + 1).length > fields) {
    throw Object.assign(new Error('the form has too many fields'), { statusCode: 413 });
  }
  const form = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(text)) {
    form.append(name, withPlainBreaks(value));
  }
  return { form, files: {} };
}

/** Before its body is read, which the plugin goes by. */
export const isMultipart = ({ headers }: FastifyRequest): boolean =>
  /^multipart\//i.test(headers['content-type'] ?? '');

/** A request with the form that it has sent. */
export async function readVisit(request: FastifyRequest): Promise<RawVisit> {
  const head = headOf(request);
  if (head.method === 'GET') {
    return head;
  }
  const { form, files } = await readForm(request);
  return { ...head, form, files, sentToken: form.get('_csrf') ?? head.sentToken };
}

/** A request without what it has sent. */
export function headOf(request: FastifyRequest): RawVisit {
  const isPost = request.method === 'POST';
  // By its slashes alone: `//host` would be read as another host, and `//` as none.
  const url = new URL(`http://console.invalid${request.url.startsWith('/') ? request.url : '/'}`);
  const header = (name: string) => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : '';
  };
  return {
    method: isPost ? 'POST' : 'GET',
    path: url.pathname,
    formPath: isPost ? pathOfReferrer(header('referer')) : '',
    params: { ...(request.params as Record<string, string>) },
    query: url.searchParams,
    form: new URLSearchParams(),
    files: {},
    cookies: cookie.parse(header('cookie')),
    isHead: request.method === 'HEAD',
    acceptLanguage: header('accept-language'),
    network: networkOf(request.ip),
    userAgent: header('user-agent'),
    sentToken: header('x-csrf-token'),
    isFromAnotherSite: isPost && isFromAnotherSite(request),
    found: request.found,
  };
}

async function readForm(request: FastifyRequest): Promise<SentForm> {
  if (!request.isMultipart()) {
    return (request.body as SentForm | undefined) ?? { form: new URLSearchParams(), files: {} };
  }
  if (!request.routeOptions.config.files) {
    throw Object.assign(new Error('the form has no files'), { statusCode: 415 });
  }
  return readParts(request).catch((error: unknown) => {
    // The parser's own errors have no status: what was sent is no form.
    throw Object.assign(new Error('the form cannot be read', { cause: error }), {
      statusCode: (error as { statusCode?: number }).statusCode ?? 400,
    });
  });
}

async function readParts(request: FastifyRequest): Promise<SentForm> {
  const form = new URLSearchParams();
  const files: SentForm['files'] = {};
  for await (const part of request.parts()) {
    if (part.type === 'field') {
      if (part.valueTruncated) {
        throw Object.assign(new Error('a field of the form is too large'), { statusCode: 413 });
      }
      form.append(part.fieldname, withPlainBreaks(String(part.value)));
      continue;
    }
    const bytes = await part.toBuffer();
    // A field for a file in which none was chosen has no bytes.
    if (bytes.length > 0) {
      files[part.fieldname] = { mediaType: part.mimetype, bytes };
    }
  }
  return { form, files };
}

/** Browsers say where a form comes from; a form without that is judged by the token alone. */
function isFromAnotherSite({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/** The path that a header Referer names; where it leads is checked when it is used. */
function pathOfReferrer(referrer: string): string {
  const url = URL.parse(referrer);
  return url === null ? '' : `${url.pathname}${url.search}`;
}
