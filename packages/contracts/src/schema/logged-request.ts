import Type, { type Static } from 'typebox';
import { errorDetailFields } from './error-details.js';
import { described, Instant, Nullable, Strict, Uuid } from './fields.js';

/** How long the requests of a key are kept. */
export const requestLogDays = 30;
/** How many requests of a book are kept of one day (UTC); the others are counted. */
export const loggedRequestsMax = 50_000;
/** Of how many refused requests of a book and day the body is kept. */
export const loggedBodiesMax = 1_000;

/** What stands for a text that may be personal. */
export const maskedText = '***';
/** What stands for a key, a secret or a token: it was never stored. */
export const removedSecret = '[secret]';
/** Whether an idempotency key is one that was masked when it was kept; the part of its hash tells it from others. */
export const isMaskedKey = (key: string): boolean => /(?:^\*{3}|\[secret\].*) [0-9a-f]{8}$/.test(key);

const Fault = Strict({
  path: Type.String({
    description: 'Where it is, as in the answer: a JSON Pointer into the body, for example.',
  }),
  message: Type.String({ description: 'What is wrong there, in English.' }),
  message_he: Type.String({ description: 'The same in Hebrew.' }),
});

/** What the hint of an error refers to; an address of payments may have a token. */
const { errors: _errors, payment_url: _paymentUrl, ...details } = errorDetailFields;

/** One request, as it was answered. */
export const LoggedRequest = Strict(
  {
    request_id: described(Uuid, 'Its `X-Request-Id`.'),
    timestamp: described(Instant, 'When it arrived, in UTC.'),
    method: Type.String({ examples: ['POST'] }),
    route: Nullable(
      Type.String(),
      'The route below the base address, such as `/documents/:id`; null: there is none of that path.',
    ),
    status: Type.Integer({ description: 'The HTTP status of the answer.' }),
    code: Nullable(Type.String(), 'The code of the error; null: there was none.'),
    idempotency_key: Nullable(
      Type.String(),
      'Its `Idempotency-Key`, where the route takes one; masked as texts of a body are, with a mark that tells it from others.',
    ),
    replayed: Type.Boolean({ description: '`true`: the answer had `Idempotent-Replayed`.' }),
    document_id: Nullable(Uuid, 'The document that was issued, or returned again.'),
    duration_ms: Type.Integer({ minimum: 0, description: 'Milliseconds until the answer was ready.' }),
    errors: Type.Array(Fault, {
      description: 'What was wrong where, of a `validation_error`: the first 20.',
    }),
    details: Type.Optional(
      Type.Partial(Strict(details), {
        additionalProperties: false,
        description:
          'The other members of `error.details` of a request that was refused. Absent: there were none.',
      }),
    ),
    body: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: `Of a request that was refused (4xx): its JSON body, as far as it is kept. Texts and numbers that may be personal are \`${maskedText}\`, and what looks like a key, a secret or a token was never stored. Absent: there was none, or it was not JSON.`,
      }),
    ),
    body_truncated: Type.Boolean({ description: '`true`: `body` lacks parts of what was sent.' }),
  },
  { description: 'A request of this key, as it was answered.' },
);
export type LoggedRequest = Static<typeof LoggedRequest>;

/** A line of a body that is shown, with what is wrong with the value that begins there. */
export interface BodyLine {
  readonly text: string;
  readonly errors: LoggedRequest['errors'];
}

/** The body of a request as lines of JSON, with each error at the line of its value, or of what should have it. */
export function linesOfBody(body: unknown, errors: LoggedRequest['errors']): BodyLine[] {
  const lines: { text: string; pointer: string }[] = [];
  writeValue(body, { pointer: '', indent: '', before: '', after: '' }, lines);
  const pointers = new Set(lines.map(({ pointer }) => pointer));
  const placeOf = (path: string): string => {
    let place = path;
    while (place !== '' && !pointers.has(place)) {
      place = place.slice(0, place.lastIndexOf('/'));
    }
    return place;
  };
  const ofBody = errors.filter(({ path }) => !/^\/(query|headers)\//.test(path));
  const places = ofBody.map((error) => ({ error, place: placeOf(error.path) }));
  const seen = new Set<string>();
  return lines.map(({ text, pointer }) => {
    const isFirst = !seen.has(pointer);
    seen.add(pointer);
    return {
      text,
      errors: isFirst ? places.filter(({ place }) => place === pointer).map(({ error }) => error) : [],
    };
  });
}

interface Place {
  readonly pointer: string;
  readonly indent: string;
  /** What is on the line before and after the value. */
  readonly before: string;
  readonly after: string;
}

/** What cannot be seen, moves other letters or commands a terminal, as JSON escapes it. */
const visible = (text: string): string =>
  text.replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (hidden) =>
    hidden
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );

function writeValue(value: unknown, place: Place, lines: { text: string; pointer: string }[]): void {
  const { pointer, indent, before, after } = place;
  const isList = Array.isArray(value);
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const line = (text: string) => lines.push({ text: `${indent}${visible(text)}`, pointer });
  if (members.length === 0) {
    line(`${before}${JSON.stringify(value)}${after}`);
    return;
  }
  line(`${before}${isList ? '[' : '{'}`);
  for (const [n, [name, member]] of members.entries()) {
    const inside = {
      pointer: `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      indent: `${indent}  `,
      before: isList ? '' : `${JSON.stringify(name)}: `,
      after: n < members.length - 1 ? ',' : '',
    };
    writeValue(member, inside, lines);
  }
  line(`${isList ? ']' : '}'}${after}`);
}
