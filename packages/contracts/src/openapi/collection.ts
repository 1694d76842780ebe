import { type DocumentType, documentTypes } from '@pinkas/domain';
import { publicRoutes } from '../catalogue.js';
import type { Route } from '../define.js';
import { cancelDocumentExample, createDocumentExamples } from './examples.js';

/** A request of the collections; `{{name}}` in its parts is a variable of the collection. */
interface CollectionRequest {
  /** One of a kind: the operation, and what sets it apart from others of the operation. */
  readonly id: string;
  readonly name: string;
  readonly method: string;
  /** Below the base address, with its query. */
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly body: unknown;
  readonly description: string;
  /** What is expected; other statuses fail the check of the request. */
  readonly status: number;
  /** An error that is an answer as good: its code, and when it is given. */
  readonly otherwise: { readonly code: string; readonly when: string } | null;
  /** What later requests take from the answer: the name of a variable, and where its value is; a text is a header. */
  readonly keep: { readonly variable: string; readonly from: readonly (string | number)[] | string } | null;
}

type Parts = Partial<Omit<CollectionRequest, 'id' | 'method' | 'description' | 'status'>> & {
  readonly suffix?: string;
};

/** What a caller sets; the rest is taken from answers. Another `order` names other documents. */
const collectionVariables = { order: '1042' } as const;

const collectionDescription = [
  'Every operation of Pinkas with the examples of its reference. Set `key` to a test key (`pk_test_…`), and run the requests in',
  'their order: later ones take ids from earlier answers. A request that is sent again returns the same document; another `order`',
  'names new documents.',
].join(' ');

/** The cancelled document is one that nothing is based on. */
const keptOf: Partial<Record<DocumentType, string>> = { tax_invoice: 'invoice_id', quote: 'quote_id' };

const createRequests = documentTypes.map((type): readonly [string, Parts] => {
  const variable = keptOf[type];
  const body = createDocumentExamples[type];
  return [
    'createDocument',
    {
      suffix: `-${type}`,
      name: `Issue: ${type}`,
      idempotencyKey: `order-{{order}}-${type}`,
      body: type === 'credit_note' ? { ...body, based_on: '{{invoice_id}}' } : body,
      otherwise: { code: 'legal_type_forbidden', when: 'the business may not issue this type' },
      keep: variable === undefined ? null : { variable, from: ['id'] },
    },
  ];
});

/** The requests by their operations, in the order in which they can be sent. */
const sequence: readonly (readonly [string, Parts])[] = [
  ['getMe', { keep: { variable: 'request_id', from: 'X-Request-Id' } }],
  ['listDocumentTypes', {}],
  ['listErrors', {}],
  ['getOpenApi', {}],
  // Events begin with the first call of their list.
  ['listEvents', { path: '/events?limit=20' }],
  ['previewDocument', { body: createDocumentExamples.tax_invoice_receipt }],
  ...createRequests,
  ['listDocuments', { path: '/documents?limit=20' }],
  ['getDocument', { path: '/documents/{{invoice_id}}' }],
  [
    'cancelDocument',
    {
      path: '/documents/{{quote_id}}/cancel',
      body: cancelDocumentExample,
      otherwise: { code: 'already_cancelled', when: 'it was cancelled before' },
    },
  ],
  ['searchCustomers', { path: '/customers?q=%D7%9C%D7%93%D7%95%D7%92%D7%9E%D7%94' }],
  [
    'listEvents',
    {
      suffix: '-of-a-document',
      name: 'Events of a document',
      path: '/events?document_id={{invoice_id}}',
      keep: { variable: 'event_id', from: ['data', 0, 'id'] },
    },
  ],
  ['getEvent', { path: '/events/{{event_id}}' }],
  ['getRequest', { path: '/requests/{{request_id}}' }],
];

function requestOf(route: Route, { suffix = '', ...parts }: Parts): CollectionRequest {
  const { operation, method, path, summary, description, successStatus } = route;
  return {
    id: `${operation}${suffix}`,
    name: summary,
    method,
    path,
    idempotencyKey: null,
    body: null,
    description,
    status: successStatus,
    otherwise: null,
    keep: null,
    ...parts,
  };
}

/** @throws Error where an operation has no request. */
function collectionRequests(): CollectionRequest[] {
  const named = new Set(sequence.map(([operation]) => operation));
  const missing = publicRoutes.map(({ operation }) => operation).filter((operation) => !named.has(operation));
  if (missing.length > 0) {
    throw new Error(`the collection has no request of ${missing.join(', ')}`);
  }
  return sequence.flatMap(([operation, parts]) =>
    publicRoutes.filter((route) => route.operation === operation).map((route) => requestOf(route, parts)),
  );
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

/** The check and the kept value of a request as a script of Postman. */
function postmanScript({ status, otherwise, keep }: CollectionRequest): string[] {
  const expected =
    otherwise === null
      ? [`pm.test('is answered ${status}', () => pm.response.to.have.status(${status}));`]
      : [
          `const code = pm.response.code === ${status} ? null : pm.response.json().error.code;`,
          `pm.test(code === '${otherwise.code}' ? '${otherwise.when}' : 'is answered ${status}', () =>`,
          `  pm.expect(code).to.be.oneOf([null, '${otherwise.code}']));`,
        ];
  const kept =
    keep === null
      ? []
      : [
          `if (pm.response.code === ${status}) {`,
          `  pm.collectionVariables.set('${keep.variable}', ${typeof keep.from === 'string' ? `pm.response.headers.get('${keep.from}')` : `pm.response.json()${membersOf(keep.from)}`});`,
          '}',
        ];
  return [...expected, ...kept];
}

/** `.data?.[0]?.id` */
const membersOf = (path: readonly (string | number)[]) =>
  path
    .map((part, index) => `${index === 0 ? '' : '?'}.${typeof part === 'number' ? `[${part}]` : part}`)
    .join('');

/** A collection that Postman imports, format 2.1. */
export function postmanCollection(baseUrl: string): object {
  const variables = { base_url: baseUrl, key: '', ...collectionVariables };
  return {
    info: {
      name: 'Pinkas',
      description: collectionDescription,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{key}}', type: 'string' }] },
    variable: Object.entries(variables).map(([key, value]) => ({ key, value })),
    item: collectionRequests().map((request) => ({
      name: request.name,
      event: [{ listen: 'test', script: { type: 'text/javascript', exec: postmanScript(request) } }],
      request: {
        method: request.method,
        description: request.description,
        header:
          request.idempotencyKey === null ? [] : [{ key: 'Idempotency-Key', value: request.idempotencyKey }],
        url: `{{base_url}}${request.path}`,
        ...(request.body !== null && {
          body: { mode: 'raw', raw: json(request.body), options: { raw: { language: 'json' } } },
        }),
      },
    })),
  };
}

const indented = (text: string) => text.replaceAll(/^(?=.)/gm, '  ');
const block = (head: string, text: string) => `${head} {\n${indented(text)}\n}\n`;

function brunoRequest(request: CollectionRequest, index: number): string {
  const { name, method, path, idempotencyKey, body, status, otherwise, keep, description } = request;
  const query = new URLSearchParams(path.split('?')[1]);
  const check =
    otherwise === null
      ? `test('is answered ${status}', () => expect(res.getStatus()).to.equal(${status}));`
      : `const code = res.getStatus() === ${status} ? null : res.getBody().error.code;
test(code === '${otherwise.code}' ? '${otherwise.when}' : 'is answered ${status}', () =>
  expect(code).to.be.oneOf([null, '${otherwise.code}']));`;
  return [
    block('meta', `name: ${name}\ntype: http\nseq: ${index + 1}`),
    block(
      method.toLowerCase(),
      `url: {{base_url}}${path}\nbody: ${body === null ? 'none' : 'json'}\nauth: inherit`,
    ),
    ...(query.size === 0
      ? []
      : [
          block(
            'params:query',
            (path.split('?')[1] ?? '')
              .split('&')
              .map((pair) => pair.replace('=', ': '))
              .join('\n'),
          ),
        ]),
    ...(idempotencyKey === null ? [] : [block('headers', `Idempotency-Key: ${idempotencyKey}`)]),
    ...(body === null ? [] : [block('body:json', json(body))]),
    ...(keep === null
      ? []
      : [
          block(
            'script:post-response',
            `if (res.getStatus() === ${status}) {\n  bru.setVar('${keep.variable}', ${typeof keep.from === 'string' ? `res.getHeader('${keep.from.toLowerCase()}')` : `res.getBody()${membersOf(keep.from)}`});\n}`,
          ),
        ]),
    block('tests', check),
    block('docs', description),
  ].join('\n');
}

/** The files of a collection of Bruno, by their names. */
export function brunoFiles(baseUrl: string): Readonly<Record<string, string>> {
  const requests = collectionRequests();
  const variables = Object.entries({ base_url: baseUrl, ...collectionVariables });
  return {
    'bruno.json': `${json({ version: '1', name: 'Pinkas', type: 'collection', ignore: ['node_modules', '.git'] })}\n`,
    'collection.bru': [
      block('auth', 'mode: bearer'),
      block('auth:bearer', 'token: {{key}}'),
      block('docs', collectionDescription),
    ].join('\n'),
    'environments/local.bru': [
      block('vars', variables.map(([name, value]) => `${name}: ${value}`).join('\n')),
      'vars:secret [\n  key\n]\n',
    ].join(''),
    ...Object.fromEntries(
      requests.map((request, index) => [`${request.id}.bru`, brunoRequest(request, index)]),
    ),
  };
}
