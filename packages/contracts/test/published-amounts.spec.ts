import { describe, expect, it } from '@jest/globals';
import { CreateDocument, compile } from '@pinkas/contracts';
import { openApiText } from '@pinkas/contracts/generate';
import { createDocumentExamples } from '@pinkas/contracts/openapi';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import fc from 'fast-check';
import { agentToolSchemas } from '../src/generate/agent-tools.js';

const example = createDocumentExamples.tax_invoice_receipt;
/** Of all sizes that an amount may have, in agorot. */
const agorot = fc.oneof(
  fc.integer({ min: 1, max: 10_000 }),
  fc.integer({ min: 1, max: 10_000_000 }),
  fc.integer({ min: 1, max: 10_000_000_000 }),
);
const amounts = fc.sample(agorot, { numRuns: 500, seed: 1 }).map((drawn) => Number((drawn / 100).toFixed(2)));
const bodyOf = (amount: number, quantity: number) => ({
  ...example,
  items: [{ description: 'פריט', quantity, unit_price: amount }],
  payments: [{ method: 'cash', amount }],
  expected_total: amount,
});

describe('the amounts of the published schemas', () => {
  // With the defaults of Ajv: a keyword or a format that it does not know is an error.
  const ajv = new Ajv2020({ formats: fullFormats, logger: false });
  const document = JSON.parse(openApiText()) as object;
  ajv.addVocabulary(Object.keys(document));
  ajv.addSchema(document, 'api');
  const published = {
    'the OpenAPI document': ajv.compile({ $ref: 'api#/components/schemas/CreateDocument' }),
    'the tools for agents': ajv.compile(JSON.parse(agentToolSchemas()).CreateDocument),
  };

  it.each(Object.entries(published))(
    'a validator of a caller takes any amount that the API takes by %s',
    (_name, check) => {
      const takes = compile(CreateDocument);
      for (const [index, amount] of amounts.entries()) {
        const body = bodyOf(amount, (index + 1) / 10_000);
        expect([amount, takes(body).ok, check(body), check.errors]).toEqual([amount, true, true, null]);
      }
      for (const discount of [0.001, 0.5, 100]) {
        expect(check({ ...bodyOf(1, 1), discount: { type: 'percent', value: discount } })).toBe(true);
      }
      expect([check(bodyOf(0, 1)), check(bodyOf(1, 0)), check(bodyOf(100_000_000.01, 1))]).toEqual([
        false,
        false,
        false,
      ]);
    },
  );

  it('zero is refused by the sentence of its bound', () => {
    const errorsOf = (body: object) => {
      const checked = compile(CreateDocument)(body);
      return checked.ok ? [] : checked.errors.map(({ path, message }) => `${path} ${message}`);
    };
    expect(errorsOf(bodyOf(0, 0))).toEqual([
      '/items/0/quantity must be above 0',
      '/payments/0/amount must be above 0',
    ]);
  });
});
