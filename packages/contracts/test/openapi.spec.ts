import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import {
  CancelDocument,
  compile,
  documentTypeRules,
  documentTypes,
  ErrorBody,
  type ErrorCode,
  errorCatalogue,
  errorDetailFields,
  hasValidCheckDigit,
  postDocumentCancel,
  postDocuments,
  publicRoutes,
} from '@pinkas/contracts';
import {
  cancelDocumentExample,
  createDocumentExamples,
  errorExample,
  openApiDocument,
  openApiFile,
  openApiText,
  problemsOf,
  replyExamples,
} from '@pinkas/contracts/openapi';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import Type from 'typebox';
import { SchemaPublisher } from '../src/openapi/published-schema.js';

const docsUrl = 'https://api.example.com/docs';
const codes = Object.keys(errorCatalogue) as ErrorCode[];
// biome-ignore lint/suspicious/noExplicitAny: the document is JSON.
const document: any = openApiDocument({ baseUrl: 'https://api.example.com/v1', docsUrl });
const operations = publicRoutes.map((route) => {
  const item = document.paths[route.path.replace(':id', '{id}')];
  return { route, operation: item[route.method.toLowerCase()] };
});

describe('the OpenAPI document', () => {
  it('in the repository is the one that the code makes: else run npm run openapi -w @pinkas/contracts', async () => {
    expect(await readFile(openApiFile, 'utf8')).toBe(openApiText());
  });

  it('has no finding of the linter, examples included', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const lint = (source: string) =>
      lintFromString({ source, absoluteRef: fileURLToPath(openApiFile), config });
    expect((await lint(openApiText())).map(({ ruleId, message }) => ({ ruleId, message }))).toEqual([]);
    // The linter is awake.
    const broken = openApiText().replace('"operationId": "getMe"', '"operationId": "listErrors"');
    expect((await lint(broken)).map(({ ruleId }) => ruleId)).toContain('operation-operationId-unique');
  });

  it('is for the address that it is asked for', () => {
    expect(document.servers).toEqual([{ url: 'https://api.example.com/v1' }]);
  });

  it.each(operations)('describes $route.method $route.path', ({ route, operation }) => {
    expect(operation.operationId).toBe(route.operation);
    expect(operation.summary).toBe(route.summary);
    expect(operation.requestBody === undefined).toBe(route.body === null);
    expect(operation.security ?? document.security).toEqual(
      route.access === 'anyone'
        ? []
        : [{ bearer: route.scope ? [route.scope] : [] }, { apiKey: route.scope ? [route.scope] : [] }],
    );
    const queried = operation.parameters.filter((one: { in?: string }) => one.in === 'query');
    expect(queried.map((one: { name: string }) => one.name)).toEqual(
      Object.keys(route.query?.properties ?? {}),
    );
    for (const parameter of queried) expect(parameter.description).toMatch(/\.$/);
  });

  it.each(operations)(
    'names every refusal of $route.method $route.path under its status',
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
      expect(named).toEqual(expect.arrayContaining([...route.problems]));
    },
  );

  it('leaves no code of the catalogue without an operation', () => {
    expect(new Set(publicRoutes.flatMap(problemsOf))).toEqual(new Set(codes));
  });

  it('asks for the idempotency key where a document is issued, and nowhere else', () => {
    const asking = operations.filter(({ operation }) =>
      operation.parameters.some((one: { $ref?: string }) => one.$ref?.endsWith('/IdempotencyKey')),
    );
    expect(asking.map(({ route }) => route.operation)).toEqual(['createDocument']);
    expect(document.components.parameters.IdempotencyKey).toMatchObject({
      required: true,
      schema: { maxLength: 128 },
    });
  });

  it('tells the headers of every answer', () => {
    for (const { route, operation } of operations) {
      // biome-ignore lint/suspicious/noExplicitAny: the document is JSON.
      for (const [status, response] of Object.entries<any>(operation.responses)) {
        const expected = ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
        if (status === '429') expected.push('Retry-After');
        if (status === '201' && route.issues) expected.push('Idempotent-Replayed');
        expect(Object.keys(response.headers)).toEqual(expected);
      }
    }
  });

  it('refuses unknown fields of a request, and lets an answer grow', () => {
    const strict = (name: string) => document.components.schemas[name].additionalProperties;
    expect(['CreateDocument', 'CustomerInput', 'PaymentInput', 'CancelDocument'].map(strict)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(['Document', 'DocumentDetail', 'Profile', 'Error'].map(strict)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('speaks the words of JSON Schema, and says null as a type', () => {
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

  it('explains every field that a caller sends', () => {
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

describe('the schemas that are published', () => {
  const Amount = Type.Object(
    { description: Type.String(), default: Type.Optional(Type.Array(Type.String())) },
    { description: 'An amount.', examples: [{ description: 'one' }], default: { description: 'none' } },
  );
  const publisher = new SchemaPublisher({ request: { Amount }, response: {} });
  const amount = { $ref: '#/components/schemas/Amount' };

  it('are known by their name whatever their annotations say, which stand beside it', () => {
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

  it('are told apart by their fields, also by those that are called like an annotation', () => {
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
  it.each(documentTypes)('of a request for a %s can be sent', (type) => {
    const body = createDocumentExamples[type];
    expect(compile(postDocuments.body)(body)).toEqual({ ok: true, value: body });
    expect(body.type).toBe(type);
    const rules = documentTypeRules[type];
    expect(body.payments !== undefined).toBe(rules.payments === 'required');
    expect(body.based_on !== undefined).toBe(rules.sourceRequired);
    if (rules.discount === 'forbidden') expect(body.discount).toBeUndefined();
    if (body.customer.tax_id !== undefined) expect(hasValidCheckDigit(body.customer.tax_id)).toBe(true);
  });

  it.each(documentTypes)('of a request for a %s have sums that fit at any rate of VAT', (type) => {
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
    if (stated.length > 0) expect(gross).toBe(true);
    for (const sum of stated) expect(sum).toBe(lines);
  });

  it('never give one tax id to two names, so that all can be sent to one business', () => {
    const nameOf = new Map<string, string | undefined>();
    for (const { customer } of Object.values(createDocumentExamples)) {
      if (customer.tax_id === undefined) continue;
      expect(nameOf.get(customer.tax_id) ?? customer.name).toBe(customer.name);
      nameOf.set(customer.tax_id, customer.name);
    }
    expect(nameOf.size).toBeGreaterThan(1);
  });

  it('of a request to cancel can be sent', () => {
    expect(compile(postDocumentCancel.body)(cancelDocumentExample).ok).toBe(true);
    expect(compile(CancelDocument)({ reasons: '' }).ok).toBe(false);
  });

  it.each(publicRoutes.map((route) => [route.operation, route] as const))(
    'of an answer to %s match its schema',
    (operation, route) => {
      const examples = Object.values(
        replyExamples(docsUrl)[operation as keyof ReturnType<typeof replyExamples>],
      );
      expect(examples.length).toBeGreaterThan(0);
      const check = compile(route.reply);
      for (const { value } of examples) expect(check(value)).toEqual({ ok: true, value });
    },
  );

  it('of documents add up', () => {
    const { createDocument, cancelDocument } = replyExamples(docsUrl);
    for (const { value } of [...Object.values(createDocument), ...Object.values(cancelDocument)]) {
      const { subtotal, discount, vat, vat_rate: rate, total } = value.totals;
      expect(subtotal - discount + vat).toBeCloseTo(total, 9);
      expect(((subtotal - discount) * rate) / 100).toBeCloseTo(vat, 9);
    }
  });

  it.each(codes)('of %s are the error object, with the details that the catalogue names', (code) => {
    const example = errorExample(code, docsUrl);
    expect(compile(ErrorBody)(example)).toEqual({ ok: true, value: example });
    expect(Object.keys(example.error.details ?? {})).toEqual([...errorCatalogue[code].details]);
    for (const [member, value] of Object.entries(example.error.details ?? {})) {
      expect(compile(errorDetailFields[member as keyof typeof errorDetailFields])(value).ok).toBe(true);
    }
  });
});
