import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import {
  CancelDocument,
  compile,
  ErrorBody,
  type ErrorCode,
  errorCatalogue,
  errorDetailFields,
  postDocumentCancel,
  postDocuments,
  publicRoutes,
  validationErrorsMax,
} from '@pinkas/contracts';
import { openApiFile, openApiText } from '@pinkas/contracts/generate';
import {
  cancelDocumentExample,
  createDocumentExamples,
  errorExample,
  guide,
  openApiDocument,
  problemsOf,
  replyExamples,
  signatureChecks,
} from '@pinkas/contracts/openapi';
import { documentTypeRules, documentTypes, hasValidCheckDigit } from '@pinkas/domain';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import Type from 'typebox';
import { SchemaPublisher } from '../src/openapi/published-schema.js';

const docsUrl = 'https://api.example.com/docs';
const codes = Object.keys(errorCatalogue) as ErrorCode[];
// biome-ignore lint/suspicious/noExplicitAny: the document is JSON.
const document: any = openApiDocument({ baseUrl: 'https://api.example.com/v1', docsUrl });
const operations = publicRoutes.map((route) => {
  const item = document.paths[route.path.replace(/:(\w+)/, '{$1}')];
  return { route, operation: item[route.method.toLowerCase()] };
});

describe('the OpenAPI document', () => {
  it('the OpenAPI document has no linter findings, examples included', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const lint = (source: string) =>
      lintFromString({ source, absoluteRef: fileURLToPath(openApiFile), config });
    expect((await lint(openApiText())).map(({ ruleId, message }) => ({ ruleId, message }))).toEqual([]);
    // The linter is awake.
    const broken = openApiText().replace('"operationId": "getMe"', '"operationId": "listErrors"');
    expect((await lint(broken)).map(({ ruleId }) => ruleId)).toContain('operation-operationId-unique');
  });

  it('the OpenAPI document declares as many validation errors as an answer has at most', () => {
    const schema =
      document.components.schemas.ErrorBody.properties.error.properties.details.properties.errors;
    expect(schema.maxItems).toBe(validationErrorsMax);
    expect(schema.description).toContain(`up to ${validationErrorsMax}`);
    expect(guide).toContain(`of more than ${validationErrorsMax},`);
  });

  it('the OpenAPI document declares any text as an X-Request-Id', () => {
    expect(document.components.parameters.RequestId.schema).toEqual({ type: 'string' });
  });

  it('the OpenAPI document names the server URL that it is generated for', () => {
    expect(document.servers).toEqual([{ url: 'https://api.example.com/v1' }]);
  });

  it.each(operations)('the operation $route.method $route.path is described', ({ route, operation }) => {
    expect(operation.operationId).toBe(route.operation);
    expect(operation.summary).toBe(route.summary);
    expect(operation.requestBody === undefined).toBe(route.body === null);
    expect(operation.security ?? document.security).toEqual(
      route.access === 'anyone'
        ? []
        : [{ bearer: route.scope ? [route.scope] : [] }, { apiKey: route.scope ? [route.scope] : [] }],
    );
    const queried = operation.parameters.filter((parameter: { in?: string }) => parameter.in === 'query');
    expect(queried.map((item: { name: string }) => item.name)).toEqual(
      Object.keys(route.query?.properties ?? {}),
    );
    for (const parameter of queried) {
      expect(parameter.description).toMatch(/\.$/);
    }
  });

  it.each(operations)(
    'every error of $route.method $route.path is listed under its status',
    ({ route, operation }) => {
      const named = Object.entries(operation.responses)
        .filter(([status]) => !status.startsWith('2'))
        // biome-ignore lint/suspicious/noExplicitAny: the document is JSON.
        .flatMap(([status, response]: [string, any]) =>
          Object.keys(response.content['application/json'].examples).map((code) => {
            expect(errorCatalogue[code as ErrorCode].httpStatus).toBe(Number(status));
            expect(response.description).toContain(`\`${code}\``);
            return code;
          }),
        );
      expect(named.sort()).toEqual([...problemsOf(route)].sort());
      expect(named).toEqual(expect.arrayContaining([...route.errors]));
    },
  );

  it('every code of the error catalogue belongs to an operation', () => {
    expect(new Set(publicRoutes.flatMap(problemsOf))).toEqual(new Set(codes));
  });

  it('only the operation that issues a document has the idempotency key', () => {
    const asking = operations.filter(({ operation }) =>
      operation.parameters.some((parameter: { $ref?: string }) =>
        parameter.$ref?.endsWith('/IdempotencyKey'),
      ),
    );
    expect(asking.map(({ route }) => route.operation)).toEqual(['createDocument']);
    expect(document.components.parameters.IdempotencyKey).toMatchObject({
      required: true,
      schema: { maxLength: 128 },
    });
  });

  it('every response has its headers', () => {
    for (const { route, operation } of operations) {
      // biome-ignore lint/suspicious/noExplicitAny: the document is JSON.
      for (const [status, response] of Object.entries<any>(operation.responses)) {
        const expected = ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
        if (status === '429') {
          expected.push('Retry-After');
        }
        if (status === '201' && route.idempotent) {
          expected.push('Idempotent-Replayed');
        }
        expect(Object.keys(response.headers)).toEqual(expected);
      }
    }
  });

  it('requests reject unknown fields, and responses may have more', () => {
    const strict = (name: string) => document.components.schemas[name].additionalProperties;
    expect(['CreateDocument', 'CustomerInput', 'PaymentInput', 'CancelDocument'].map(strict)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(['Document', 'DocumentDetail', 'Profile', 'ErrorBody'].map(strict)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('the schemas use JSON Schema keywords, and null as a type', () => {
    const { CreateDocument, Document, Customer } = document.components.schemas;
    expect(CreateDocument.properties.date).toMatchObject({ type: 'string', format: 'date' });
    expect(Document.properties.created_at).toMatchObject({ type: 'string', format: 'date-time' });
    expect(Document.properties.created_at.minLength).toBeUndefined();
    expect(Document.properties.due_date).toMatchObject({ type: ['string', 'null'], format: 'date' });
    expect(Customer.properties.legal_type).toEqual({
      anyOf: [{ $ref: '#/components/schemas/CustomerLegalType' }, { type: 'null' }],
    });
    expect(JSON.stringify(document)).not.toMatch(/publicFormat|calendar-date/);
  });

  it('the document has what generators of clients need', () => {
    const { CustomerInput, ErrorBody, ItemInput, PaymentInput, CreateDocument } = document.components.schemas;
    // An anyOf next to properties and a tag of both lists and webhooks, cost generated clients members and operations.
    const composed = Object.values<Record<string, unknown>>(document.components.schemas).filter(
      (schema) =>
        schema.properties !== undefined && (schema.anyOf ?? schema.oneOf ?? schema.allOf) !== undefined,
    );
    expect(composed).toEqual([]);
    expect(CustomerInput.description).toContain('`id` and `name`');
    const tagsOf = (items: Record<string, Record<string, { tags: string[] }>>) =>
      new Set(Object.values(items).flatMap((item) => Object.values(item).flatMap(({ tags }) => tags)));
    expect(tagsOf(document.webhooks)).toEqual(new Set(['Webhooks']));
    expect(tagsOf(document.paths)).not.toContain('Webhooks');
    const names = Object.keys(document.components.schemas);
    // In Go `NewDocument` is the constructor of `Document`.
    expect(
      names.filter((name) => names.includes(name.replace(/^New/, '')) && name.startsWith('New')),
    ).toEqual([]);
    expect(names).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(Error|Event|Object|Response|Request|Map|Set|Date)$/)]),
    );
    const { code } = ErrorBody.properties.error.properties;
    expect([code.enum, code['x-extensible-enum']]).toEqual([undefined, codes]);
    for (const amount of [
      ItemInput.properties.unit_price,
      PaymentInput.properties.amount,
      CreateDocument.properties.expected_total,
    ]) {
      expect(amount.description).toContain('at most 2 decimals');
    }
    expect([ItemInput.properties.quantity.minimum, PaymentInput.properties.amount.minimum]).toEqual([
      0.0001, 0.01,
    ]);
  });

  it('the schemas of requests state what no text has and which members exclude one another', () => {
    const { CreateDocument, CustomerInput } = document.components.schemas;
    const noNul = new RegExp(CustomerInput.properties.name.pattern);
    expect([noNul.test('שורה\nline'), noNul.test('a\0b')]).toEqual([true, false]);
    const freeTexts = Object.values<Record<string, unknown>>(CreateDocument.properties).filter(
      ({ type, format, $ref }) => type === 'string' && format === undefined && $ref === undefined,
    );
    expect(freeTexts.map(({ pattern }) => pattern)).toEqual(freeTexts.map(() => '^[^\\x00]*$'));
    expect(CreateDocument.dependentSchemas).toEqual({
      due_date: { properties: { type: { enum: ['proforma', 'tax_invoice'] } } },
      foreign_donor: {
        properties: { type: { const: 'donation_receipt' }, customer: { not: { required: ['tax_id'] } } },
      },
    });
  });

  it('every amount is a 64-bit float, and every link leads to an operation by a member of its answer', () => {
    const { ItemInput, Totals } = document.components.schemas;
    const formats = [ItemInput, Totals].flatMap(({ properties }) =>
      Object.values<{ type?: string; format?: string }>(properties)
        .filter(({ type }) => type === 'number')
        .map(({ format }) => format),
    );
    expect(new Set(formats)).toEqual(new Set(['double']));
    const linked = operations.flatMap(({ operation }) =>
      Object.values<object>(operation.responses).flatMap((response) =>
        'links' in response
          ? Object.values(response.links as Record<string, { operationId: string }>).map((link) => [
              operation.operationId,
              link.operationId,
            ])
          : [],
      ),
    );
    expect(linked).toEqual(
      expect.arrayContaining([
        ['createDocument', 'getDocument'],
        ['createDocument', 'cancelDocument'],
        ['listDocuments', 'listDocuments'],
        ['listEvents', 'listEvents'],
      ]),
    );
    const names = operations.map(({ operation }) => operation.operationId);
    expect(linked.flat().filter((name) => !names.includes(name))).toEqual([]);
  });

  it('every request field has a description', () => {
    const { CreateDocument, ItemInput, PaymentInput } = document.components.schemas;
    for (const schema of [CreateDocument, ItemInput, PaymentInput]) {
      for (const [name, field] of Object.entries<{ description?: string; $ref?: string }>(
        schema.properties,
      )) {
        expect([name, field.description ?? field.$ref]).not.toContain(undefined);
      }
    }
  });
});

describe('the checks of a signature in the reference', () => {
  const key = Buffer.alloc(32, 5);
  const secret = `whsec_${key.toString('base64')}`;
  const body = '{"type":"document.issued","title":"חשבונית"}';
  const now = String(Math.floor(Date.now() / 1_000));
  const signature = (timestamp: string, text = body) =>
    `v1,${createHmac('sha256', key).update(`evt_1.${timestamp}.${text}`).digest('base64')}`;
  const webhook = (change: Record<string, string> = {}) => ({
    body,
    headers: {
      'webhook-id': 'evt_1',
      'webhook-timestamp': now,
      'webhook-signature': signature(now),
      ...change,
    },
  });
  const old = String(Number(now) - 400);
  const cases = [
    { ...webhook(), genuine: true },
    { ...webhook({ 'webhook-signature': `v1,AAAA ${signature(now)}` }), genuine: true },
    { ...webhook({ 'webhook-signature': signature(now, `${body} `) }), genuine: false },
    { ...webhook({ 'webhook-id': 'evt_2' }), genuine: false },
    { ...webhook({ 'webhook-timestamp': old, 'webhook-signature': signature(old) }), genuine: false },
    { ...webhook({ 'webhook-timestamp': 'NaN', 'webhook-signature': signature('NaN') }), genuine: false },
    { body, headers: {}, genuine: false },
  ];
  const programs = {
    js: {
      command: process.execPath,
      file: 'check.mjs',
      end: `const [, , secret, text] = process.argv;
process.stdout.write(JSON.stringify(JSON.parse(text).map((item) => isGenuine(Buffer.from(item.body), item.headers, secret))));`,
    },
    python: {
      command: 'python3',
      file: 'check.py',
      end: `import json, sys
print(json.dumps([is_genuine(one["body"].encode(), one["headers"], sys.argv[1]) for one in json.loads(sys.argv[2])]))`,
    },
    php: {
      command: 'php',
      file: 'check.php',
      end: `echo json_encode(array_map(fn ($one) => is_genuine($one['body'], $one['headers'], $argv[1]), json_decode($argv[2], true)));`,
    },
  } as const;
  const isThere = (command: string) => {
    try {
      execFileSync(command, ['--version'], {
        stdio: 'ignore',
        env: { PATH: process.env.PATH, HOME: process.env.HOME },
      });
      return true;
    } catch {
      process.stderr.write(`openapi.spec.ts: no ${command}: its check of a signature is NOT tested\n`);
      return false;
    }
  };

  it.each(Object.keys(programs) as (keyof typeof programs)[])(
    'the check in %s accepts what is genuine alone, and throws without a secret',
    (language) => {
      const { command, file, end } = programs[language];
      if (!isThere(command)) {
        return;
      }
      const folder = mkdtempSync(join(tmpdir(), 'pinkas-signature-'));
      try {
        writeFileSync(join(folder, file), `${signatureChecks[language]}\n${end}\n`);
        const check = (given: string) =>
          execFileSync(command, [join(folder, file), given, JSON.stringify(cases)], {
            encoding: 'utf8',
            stdio: 'pipe',
            env: { PATH: process.env.PATH, HOME: process.env.HOME },
          });
        expect(JSON.parse(check(secret))).toEqual(cases.map(({ genuine }) => genuine));
        // Anybody could sign with an empty key.
        expect(() => check('')).toThrow('there is no secret');
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});

describe('published schemas', () => {
  const Amount = Type.Object(
    { description: Type.String(), default: Type.Optional(Type.Array(Type.String())) },
    { description: 'An amount.', examples: [{ description: 'one' }], default: { description: 'none' } },
  );
  const publisher = new SchemaPublisher({ request: { Amount }, response: {} });
  const amount = { $ref: '#/components/schemas/Amount' };

  it('a named schema is a reference with its own annotations beside it', () => {
    const { properties, required } = Amount;
    expect(publisher.publish(Amount, 'request')).toEqual(amount);
    expect(publisher.publish(Type.Object(properties), 'request')).toEqual(amount);
    const others = {
      description: 'Another.',
      examples: [{ description: 'two' }],
      default: { description: '' },
    };
    expect(publisher.publish(Type.Object(properties, others), 'request')).toEqual({ ...amount, ...others });
    expect(required).toEqual(['description']);
  });

  it('schemas are distinguished by their properties, including those named like an annotation', () => {
    const { description } = Amount.properties;
    for (const properties of [
      { description },
      { description, default: Type.Optional(Type.String()) },
      { description, default: Type.Optional(Type.Array(Type.Number())) },
      { ...Amount.properties, examples: Type.Optional(Type.Array(Type.String())) },
    ]) {
      expect(publisher.publish(Type.Object(properties), 'request')).not.toHaveProperty('$ref');
    }
  });
});

describe('the examples', () => {
  it.each(documentTypes)('the example request for a %s is valid', (type) => {
    const body = createDocumentExamples[type];
    expect(compile(postDocuments.body)(body)).toEqual({ ok: true, value: body });
    expect(body.type).toBe(type);
    const rules = documentTypeRules[type];
    expect(body.payments !== undefined).toBe(rules.payments === 'required');
    expect(body.based_on !== undefined).toBe(rules.sourceRequired);
    if (rules.discount === 'forbidden') {
      expect(body.discount).toBeUndefined();
    }
    if (body.customer.tax_id !== undefined) {
      expect(hasValidCheckDigit(body.customer.tax_id)).toBe(true);
    }
  });

  it.each(documentTypes)('the sums of the example request for a %s are right at any rate of VAT', (type) => {
    const {
      payments,
      items,
      expected_total: expected,
      prices_include_vat: gross,
    } = createDocumentExamples[type];
    const agorot = (amount: number) => Math.round(amount * 100);
    const lines = items.reduce((sum, item) => sum + agorot(item.quantity * item.unit_price), 0);
    const stated = [
      ...(payments ? [payments.reduce((sum, payment) => sum + agorot(payment.amount), 0)] : []),
      ...(expected === undefined ? [] : [agorot(expected)]),
    ];
    if (stated.length > 0) {
      expect(gross).toBe(true);
    }
    for (const sum of stated) {
      expect(sum).toBe(lines);
    }
  });

  it('no two example customers share a tax id, so that one business can use all examples', () => {
    const nameOf = new Map<string, string | undefined>();
    for (const { customer } of Object.values(createDocumentExamples)) {
      if (customer.tax_id === undefined) {
        continue;
      }
      expect(nameOf.get(customer.tax_id) ?? customer.name).toBe(customer.name);
      nameOf.set(customer.tax_id, customer.name);
    }
    expect(nameOf.size).toBeGreaterThan(1);
  });

  it('the example request to cancel is valid', () => {
    expect(compile(postDocumentCancel.body)(cancelDocumentExample).ok).toBe(true);
    expect(compile(CancelDocument)({ reasons: '' }).ok).toBe(false);
  });

  it.each(publicRoutes.map((route) => [route.operation, route] as const))(
    'the example responses of %s match its schema',
    (operation, route) => {
      const examples = Object.values(
        replyExamples(docsUrl)[operation as keyof ReturnType<typeof replyExamples>],
      );
      expect(examples.length).toBeGreaterThan(0);
      const check = compile(route.reply);
      for (const { value } of examples) {
        expect(check(value)).toEqual({ ok: true, value });
      }
    },
  );

  it('the totals of the example documents add up', () => {
    const { createDocument, cancelDocument } = replyExamples(docsUrl);
    for (const { value } of [...Object.values(createDocument), ...Object.values(cancelDocument)]) {
      const { subtotal, discount, vat, vat_rate: rate, total } = value.totals;
      expect(subtotal - discount + vat).toBeCloseTo(total, 9);
      expect(((subtotal - discount) * rate) / 100).toBeCloseTo(vat, 9);
    }
  });

  it.each(codes)(
    'the example responses of %s are error objects with the details of the catalogue',
    (code) => {
      const example = errorExample(code, docsUrl);
      expect(compile(ErrorBody)(example)).toEqual({ ok: true, value: example });
      expect(Object.keys(example.error.details ?? {})).toEqual([...errorCatalogue[code].details]);
      for (const [member, value] of Object.entries(example.error.details ?? {})) {
        expect(compile(errorDetailFields[member as keyof typeof errorDetailFields])(value).ok).toBe(true);
      }
    },
  );
});
