import {
  compile,
  type ErrorBody as ErrorBodyOf,
  ErrorBody as ErrorBodySchema,
  errorCatalogue,
  isErrorCode,
  isUuid,
  publicRoutes,
  type Route,
} from '@pinkas/contracts';
import type { WireAnswer } from '../harness/send.js';
import { errorTable } from './error-table.js';

const checkError = compile(ErrorBodySchema);
const checkFaults = (errors: unknown): boolean =>
  Array.isArray(errors) &&
  errors.every(
    (fault) =>
      typeof fault?.path === 'string' &&
      /^[A-Za-z][^^$\\]+$/.test(fault?.message) &&
      /[א-ת]/.test(fault?.message_he),
  );

interface KnownRoute {
  readonly route: Route;
  readonly pattern: RegExp;
  readonly checkReply: ReturnType<typeof compile>;
}

/** One request below the base address, and its answer. */
export interface Exchange {
  readonly method: string;
  /** Below the base address. */
  readonly path: string;
  readonly answer: WireAnswer;
}

const whole = (text: string | undefined): number => (/^\d+$/.test(text ?? '') ? Number(text) : Number.NaN);

/**
 * Hears every exchange of the suite. What must be true of each answer is held against each answer; what was seen is
 * remembered, so that the last test can name what was never provoked.
 */
export class Recording {
  readonly #routes: KnownRoute[] = publicRoutes.map((route) => ({
    route,
    pattern: new RegExp(`^${route.path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`),
    checkReply: compile(route.reply),
  }));
  readonly #successes = new Set<Route>();
  readonly #codes = new Map<Route | null, Set<string>>();

  constructor(private readonly docsUrl: () => string) {}

  /** The routes that have answered with success. */
  succeeded(route: Route): boolean {
    return this.#successes.has(route);
  }

  /** Whether a code was seen, on one route or on any. */
  saw(code: string, route?: Route): boolean {
    if (route) {
      return this.#codes.get(route)?.has(code) ?? false;
    }
    return [...this.#codes.values()].some((codes) => codes.has(code));
  }

  /** How many answers were heard. */
  exchanges = 0;

  /**
   * Takes note of an exchange.
   * @throws Error that names everything in which the answer breaks what is promised of all answers.
   */
  record(exchange: Exchange): void {
    this.exchanges += 1;
    const path = exchange.path.split('?')[0] ?? '';
    const known = this.#routes.find(
      ({ route, pattern }) => route.method === exchange.method && pattern.test(path),
    );
    const wrongs = [
      ...wrongHeaders(exchange.answer),
      ...(exchange.method === 'HEAD' ? [] : this.#wrongBody(exchange, known)),
    ];
    if (wrongs.length > 0) {
      const { status, bytes } = exchange.answer;
      throw new Error(
        `${exchange.method} ${exchange.path} answered ${status} and broke what holds for every answer: ${wrongs.join('; ')}\n${bytes.toString('utf8').slice(0, 2_000)}`,
      );
    }
  }

  #wrongBody({ answer }: Exchange, known: KnownRoute | undefined): string[] {
    let body: unknown;
    try {
      body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(answer.bytes));
    } catch {
      return ['the body is not JSON in UTF-8'];
    }
    if (answer.status >= 400) {
      const checked = checkError(body);
      if (!checked.ok) {
        return checked.errors.map(({ path, message }) => `error body ${path} ${message}`);
      }
      const codes = this.#codes.get(known?.route ?? null) ?? new Set();
      this.#codes.set(known?.route ?? null, codes.add(checked.value.error.code));
      return this.#wrongError(answer, checked.value);
    }
    if (!known) {
      return ['only a route of the interface may succeed'];
    }
    this.#successes.add(known.route);
    const checked = known.checkReply(body);
    return [
      ...(answer.status === known.route.successStatus
        ? []
        : [`success is ${known.route.successStatus} on this route`]),
      ...(checked.ok ? [] : checked.errors.map(({ path, message }) => `reply ${path} ${message}`)),
      ...wrongMoney(body),
    ];
  }

  #wrongError({ status, headers }: WireAnswer, { error, request_id }: ErrorBodyOf): string[] {
    const { code } = error;
    if (!isErrorCode(code)) {
      return [`${code} is no code of the interface`];
    }
    const row = errorTable[code];
    const { message, messageHe, hint }: { message: string; messageHe: string; hint?: string } =
      errorCatalogue[code];
    const details = Object.keys(error.details ?? {});
    const wrongs = {
      'the status is not the one of the code': status !== row.status,
      'retryable is not the one of the code': error.retryable !== row.retryable,
      'the message is not the one of the catalogue': !isMessage(code, error.message, message),
      'the Hebrew message is not the one of the catalogue': !isMessage(code, error.message_he, messageHe),
      // Where cash was rounded, the amount to state follows.
      'the hint is not the one of the catalogue':
        code === 'payments_total_mismatch' ? !error.hint?.startsWith(hint ?? '') : error.hint !== hint,
      'doc_url does not lead to the code': error.doc_url !== `${this.docsUrl()}/errors#${code}`,
      'details are not those of the code': details.sort().join() !== [...row.details].sort().join(),
      'details.errors are not path and message each':
        code === 'validation_error' && !checkFaults(error.details?.errors),
      'request_id is not X-Request-Id': request_id !== headers['x-request-id'],
      'Idempotent-Replayed is on a refusal': 'idempotent-replayed' in headers,
    };
    return namesOf(wrongs);
  }
}

/** `invalid_json` adds its cause. */
const isMessage = (code: string, message: string, ofCatalogue: string): boolean =>
  code === 'invalid_json' ? message.startsWith(`${ofCatalogue.slice(0, -1)}: `) : message === ofCatalogue;

function wrongHeaders({ status, headers }: WireAnswer): string[] {
  const limit = whole(headers['ratelimit-limit']);
  const remaining = whole(headers['ratelimit-remaining']);
  const reset = whole(headers['ratelimit-reset']);
  const replayed = headers['idempotent-replayed'];
  return namesOf({
    'X-Request-Id is no UUID': !isUuid(headers['x-request-id'] ?? ''),
    'RateLimit-Limit is missing': !(limit >= 1),
    'RateLimit-Remaining is missing or above the limit': !(remaining >= 0 && remaining <= limit),
    'RateLimit-Reset is not within a minute': !(reset >= 0 && reset <= 60),
    'Retry-After belongs to 429 and to nothing else': (status === 429) !== whole(headers['retry-after']) >= 0,
    'the content type is not JSON': !/^application\/json(; charset=utf-8)?$/.test(
      headers['content-type'] ?? '',
    ),
    // The OpenAPI document has an entity tag, and nothing of a business.
    'Cache-Control lets the answer be kept':
      headers['cache-control'] !== (headers.etag === undefined ? 'no-store' : 'public, max-age=300'),
    'a CORS header is there': Object.keys(headers).some((name) => name.startsWith('access-control-')),
    'Idempotent-Replayed is neither absent nor true': replayed !== undefined && replayed !== 'true',
  });
}

/** Every document of a reply: amounts in whole agorot, and subtotal − discount + vat = total. */
function wrongMoney(body: unknown): string[] {
  const { data, totals } = body as { data?: unknown[]; totals?: Record<string, number> };
  if (Array.isArray(data)) {
    return data.flatMap(wrongMoney);
  }
  if (!totals) {
    return [];
  }
  const agorot = (member: string) => Math.round((totals[member] ?? Number.NaN) * 100);
  const members = ['subtotal', 'discount', 'vat', 'total', 'paid'];
  return namesOf({
    'an amount has more than two decimals': members.some((member) => agorot(member) / 100 !== totals[member]),
    'the totals do not add up': agorot('subtotal') - agorot('discount') + agorot('vat') !== agorot('total'),
  });
}

const namesOf = (wrongs: Record<string, boolean>): string[] =>
  Object.entries(wrongs)
    .filter(([, isWrong]) => isWrong)
    .map(([name]) => name);
