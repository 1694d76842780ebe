import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Business, type IssuedDocument } from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { testAnswer } from '../test-mode/test-answer.js';
import { answerClass, classOfStatus } from './answer-class.js';
import { invalidFields } from './answer-object.js';
import { readApprovalAnswer, readLookUpAnswer } from './approval-answer.js';
import { approvalRequest, lookUpRequest } from './approval-request.js';
import { type AttemptOutcome } from './attempt-outcome.js';
import { dataFailure, isRefusal } from './data-errors.js';
import { isUnknownStatus, statusFailure } from './status-failure.js';
import { truncateUtf16 } from './truncate-utf16.js';

const refused = (...codes: string[]): AttemptOutcome => ({
  kind: 'refused',
  codes,
  message: 'no',
  answer: '{}',
});
const id = '0d6a8f7e-8c3e-4b3d-9a54-5f3f2f0f0a01';
const read = (value: unknown) => readApprovalAnswer(JSON.stringify(value), id);
const lookUp = (value: unknown) => readLookUpAnswer(JSON.stringify(value));
const business = { tax_id: '039337423', name: 'עסק לדוגמה עם שם ארוך מאוד בע"מ' } as Business;
const document = (change: Partial<IssuedDocument> = {}): IssuedDocument =>
  ({
    id: '0d6a8f7e-8c3e-4b3d-9a54-5f3f2f0f0a01',
    number: 1042,
    date: '2026-06-15',
    issued_at: '2026-06-15T21:30:00.000Z',
    prices_include_vat: false,
    customer: { tax_id: '12344', name: '👩‍🚀'.repeat(20) },
    items: [
      {
        description: 'D'.repeat(200),
        quantity: 1.3333,
        unit_price: 4500.1,
        line_total: 5999.98,
        sku: 'S'.repeat(64),
      },
    ],
    totals: { subtotal: 5999.98, discount: 0.1, vat: 1079.98, vat_rate: 18, total: 7079.86, currency: 'ILS' },
    ...change,
  }) as IssuedDocument;
const parts = { invoiceType: 305, accountingSoftwareNumber: 99999999, person: { user_name: 'Demo User' } };
const now = new Date('2026-06-15T08:00:00Z');
const about = { kind: 'number', date: '2026-06-15', now } as const;
const failureOf = (status: number, body: unknown = {}, headers: Record<string, string> = {}) =>
  statusFailure({ status, body: JSON.stringify(body), headers: new Headers(headers) }, about);
/** The body of a data error, as the specification of allocation numbers shows it. */
const dataErrors = (...errors: { code: number; message?: string; param?: string }[]) => ({
  status: 400,
  message: {
    errors: errors.map((error) => ({ message: 'wrong', param: '', location: 'request', ...error })),
  },
  confirmation_number: '0',
  approved: false,
});
const documentWith = (sku: string | null): IssuedDocument =>
  ({ id: randomUUID(), business_id: testBookOf(randomUUID()), items: [{ sku }] }) as IssuedDocument;

describe('answerClass', () => {
  it('answerClass is one value for every number', () => {
    const granted = { kind: 'granted', confirmationNumber: '1234567890', number: '234567890', answer: '' };
    expect(answerClass(granted as AttemptOutcome)).toBe('approved');
  });

  it('answerClass of a refusal is the hundreds digit of its first code', () => {
    expect(answerClass(refused('460', '999'))).toBe('code_4xx');
    expect(answerClass(refused('101'))).toBe('code_1xx');
  });

  it('answerClass has few values whatever code the authority returns', () => {
    for (const code of ['4600', '046', 'abc', '514713288', '4x1']) {
      expect(answerClass(refused(code))).toBe('code_other');
    }
    expect(answerClass(refused())).toBe('no_code');
  });

  it('answerClass of a failure is its class', () => {
    expect([200, 302, 400, 429, 500, 503].map(classOfStatus)).toEqual([
      'http_other',
      'http_other',
      'http_4xx',
      'http_4xx',
      'http_5xx',
      'http_5xx',
    ]);
  });
});

describe('readApprovalAnswer', () => {
  it('readApprovalAnswer returns the whole number and its last nine digits', () => {
    expect(
      read({
        status: 200,
        message: 'ok',
        confirmation_number: '20240627231846297178091822',
        approved: true,
      }),
    ).toEqual({ kind: 'granted', confirmationNumber: '20240627231846297178091822', number: '178091822' });
  });

  it('readApprovalAnswer keeps the leading zeros of the printed number', () => {
    expect(read({ confirmation_number: '20240627231846297000091822', approved: true })).toMatchObject({
      number: '000091822',
    });
  });

  it('readApprovalAnswer accepts member names in any letter case', () => {
    expect(read({ Confirmation_Number: '123456789012', Approved: true })).toMatchObject({ kind: 'granted' });
    expect(
      read({ Confirmation_number: 0, APPROVED: false, Message: [{ Code: 431, Message: 'wrong' }] }),
    ).toEqual({ kind: 'refused', codes: ['431'], message: '431 wrong' });
  });

  it('readApprovalAnswer returns every code of a refusal and a single-line reason', () => {
    expect(
      read({
        approved: false,
        confirmation_number: '0',
        message: {
          errors: [
            { code: 460, message: 'Refused.\nTry later', param: 'x', location: 'body' },
            { code: '431', message: 'VAT number' },
          ],
        },
      }),
    ).toEqual({ kind: 'refused', codes: ['460', '431'], message: '460 Refused. Try later; 431 VAT number' });
    expect(read({ approved: false, confirmation_number: '0', message: 'No' })).toEqual({
      kind: 'refused',
      codes: [],
      message: 'No',
    });
    expect(read({ approved: false })).toEqual({ kind: 'refused', codes: [], message: 'without a reason' });
  });

  it.each([
    ['no JSON', 'oops'],
    ['no object', '[]'],
    ['approved without a number', '{"approved":true}'],
    ['approved with the number 0', '{"approved":true,"confirmation_number":"0"}'],
    ['approved with zeros only', '{"approved":true,"confirmation_number":"000000000"}'],
    ['approved with a JSON number', '{"approved":true,"confirmation_number":20240627231846297178091822}'],
    ['approved with letters', '{"approved":true,"confirmation_number":"2024A627231846297178091822"}'],
    ['approved as text', '{"approved":"true","confirmation_number":"123456789012"}'],
    ['refused with a number', '{"approved":false,"confirmation_number":"123456789012"}'],
    ['without a decision', '{"status":200,"confirmation_number":"123456789012"}'],
  ])('readApprovalAnswer rejects an answer: %s', (_case, body) => {
    expect(() => readApprovalAnswer(body, id)).toThrow('the answer');
  });

  it('readApprovalAnswer rejects an answer about another document', () => {
    const answer = { approved: true, confirmation_number: '123456789012' };
    expect(() => read({ ...answer, invoice_id: 'another' })).toThrow('another document');
    expect(read({ ...answer, Invoice_ID: id.toUpperCase() })).toMatchObject({ kind: 'granted' });
  });
});

describe('readLookUpAnswer', () => {
  it('readLookUpAnswer returns a number', () => {
    const message = 'Invoice confirmation number for the received data is: 20240627231846297178091822';
    expect(lookUp({ status: 200, message, confirmation_number: '20240627231846297178091822' })).toEqual({
      kind: 'granted',
      confirmationNumber: '20240627231846297178091822',
      number: '178091822',
    });
  });

  it.each([
    ['the number 0', { confirmation_number: '0' }],
    ['no number', {}],
    ['code 472', { confirmation_number: '0', message: { errors: [{ code: 472 }] } }],
    ['letters', { confirmation_number: '12345678901X' }],
    ['a JSON number', { confirmation_number: 123456789012 }],
  ])('readLookUpAnswer finds nothing in an answer with %s', (_case, answer) => {
    expect(lookUp(answer)).toBeUndefined();
    expect(readLookUpAnswer('<html>')).toBeUndefined();
  });
});

describe('invalidFields', () => {
  it('invalidFields returns field names once each', () => {
    const errors = [{ param: 'vat_number' }, { param: 'vat_number' }, { param: 'a b' }, { param: 7 }, {}];
    expect(invalidFields(JSON.stringify({ message: { errors } }))).toEqual(['vat_number']);
    expect(invalidFields('<html>')).toEqual([]);
  });
});

describe('approvalRequest', () => {
  it('approvalRequest is the same for the same document, under its id', () => {
    expect(approvalRequest(document(), business, parts)).toEqual(
      approvalRequest(document(), business, parts),
    );
    expect(approvalRequest(document(), business, parts).invoice_id).toBe(document().id);
  });

  it("approvalRequest has the document's net, discount, VAT and gross amounts", () => {
    expect(approvalRequest(document(), business, parts)).toMatchObject({
      invoice_type: 305,
      amount_before_discount: 5999.98,
      discount: 0.1,
      payment_amount: 5999.88,
      vat_amount: 1079.98,
      payment_amount_including_vat: 7079.86,
    });
  });

  it('approvalRequest names the person who issues by name or id, and never the business', () => {
    expect(approvalRequest(document(), business, parts)).toMatchObject({ user_name: 'Demo User' });
    const byId = approvalRequest(document(), business, { ...parts, person: { user_id: 39337423 } });
    expect(byId).toMatchObject({ user_id: 39337423 });
    expect(byId).not.toHaveProperty('user_name');
    expect(JSON.stringify(byId)).not.toContain('עסק לדוגמה');
  });

  it('lookUpRequest has the six members that a buyer knows, and no invoice_id', () => {
    expect(lookUpRequest(JSON.stringify(approvalRequest(document(), business, parts)))).toEqual({
      customer_vat_number: 12344,
      vat_number: 39337423,
      payment_amount: 5999.88,
      vat_amount: 1079.98,
      invoice_date: '2026-06-15',
      invoice_reference_number: '1042',
    });
  });

  it('approvalRequest writes tax ids as numbers without leading zeros', () => {
    expect(approvalRequest(document(), business, parts)).toMatchObject({
      vat_number: 39337423,
      customer_vat_number: 12344,
    });
  });

  it('approvalRequest has the printed date and the day of issue in Israel', () => {
    expect(approvalRequest(document(), business, parts)).toMatchObject({
      invoice_date: '2026-06-15',
      invoice_issuance_date: '2026-06-16',
    });
  });

  it('approvalRequest truncates texts to the field lengths between characters', () => {
    const { customer_name, items } = approvalRequest(document(), business, parts);
    // Five units each: whole astronauts, and no half of one.
    expect(customer_name).toBe('👩‍🚀'.repeat(5));
    expect(items[0]?.description).toHaveLength(30);
    expect(items[0]?.catalog_id).toHaveLength(13);
  });

  it('approvalRequest rounds quantities to two decimals and keeps exact totals', () => {
    expect(approvalRequest(document(), business, parts).items[0]).toMatchObject({
      index: 1,
      quantity: 1.33,
      price_per_unit: 4500.1,
      total_amount: 5999.98,
      vat_rate: 18,
      vat_amount: 1080,
    });
  });

  it('approvalRequest subtracts the VAT from lines whose prices include it', () => {
    const items = [{ description: 'x', quantity: 1, unit_price: 118, line_total: 118, sku: null }];
    expect(approvalRequest(document({ prices_include_vat: true, items }), business, parts).items).toEqual([
      {
        index: 1,
        description: 'x',
        quantity: 1,
        price_per_unit: 100,
        discount: 0,
        total_amount: 100,
        vat_rate: 18,
        vat_amount: 18,
      },
    ]);
  });
});

describe('statusFailure', () => {
  it.each([500, 502, 503, 504, 408, 429, 405, 302, 204])('statusFailure retries status %d', (status) => {
    const failure = failureOf(status);
    expect(failure).toMatchObject({ retryable: true, awaitsConnection: false });
    expect(failure.reason).toContain(`HTTP status ${status}`);
    expect(failure.isEndless).toBeUndefined();
  });

  it.each([
    [408, true],
    [500, true],
    [503, true],
    [429, false],
    [404, false],
    [400, false],
  ])('whether a number may have been granted before status %d is %p', (status, isUnknown) => {
    expect(isUnknownStatus(status)).toBe(isUnknown);
  });

  it.each([
    [400, 'has to be corrected'],
    [422, 'has to be corrected'],
    [406, 'must connect the business'],
  ])('statusFailure does not retry status %d and says what to do', (status, words) => {
    const failure = failureOf(status);
    expect(failure).toMatchObject({ retryable: false, awaitsConnection: status === 406 });
    expect(failure.reason).toContain(`HTTP status ${status}`);
    expect(failure.reason).toContain(words);
  });

  it.each([
    [403, 'The operator has to subscribe it'],
    [404, 'The operator has to correct the address'],
  ])('statusFailure leaves status %d to the operator, and attempts go on', (status, words) => {
    const failure = failureOf(status);
    expect(failure).toMatchObject({ retryable: true, awaitsOperator: true, isEndless: true });
    expect(failure.reason).toContain(words);
  });

  it.each([
    ['120', 120],
    [' 5 ', 5],
    ['Mon, 15 Jun 2026 08:01:00 GMT', 60],
    ['999999', 3_600],
    ['-3', 0],
    ['soon', 0],
  ])('statusFailure obeys the Retry-After %p of status 429, for an hour at most', (header, seconds) => {
    const { notBefore } = failureOf(429, {}, { 'retry-after': header });
    expect(notBefore?.getTime() ?? now.getTime()).toBe(now.getTime() + seconds * 1_000);
  });

  it('statusFailure names the invalid fields and never their contents', () => {
    const body = {
      message: {
        errors: [
          { code: 422, message: 'customer 777777723 is wrong', param: 'customer_vat_number' },
          { code: 422, message: 'x', param: 'items[0].quantity' },
          { code: 422, message: 'x', param: 'the customer Example Ltd' },
        ],
      },
    };
    expect(failureOf(422, body).reason).toContain(
      '(HTTP status 422: customer_vat_number, items[0].quantity)',
    );
  });

  it("statusFailure keeps the gateway's description of the place that breaks its schema", () => {
    const moreInformation =
      'Validate: http://x/Approval: [JSV0009] Invalid object: the property is not permitted.';
    expect(
      failureOf(422, { httpCode: '422', httpMessage: 'Unprocessable', moreInformation }).reason,
    ).toContain('[JSV0009] Invalid object');
  });

  it("statusFailure names the fields of the service's own check of its schema, which has no codes", () => {
    const errors = [{ value: 'x', msg: 'Invalid value', param: 'invoice_date', location: 'body' }];
    const failure = failureOf(400, { status: 400, message: { errors }, error_id: '7' });
    expect(failure).toMatchObject({ retryable: false });
    expect(failure.reason).toContain('(HTTP status 400: invoice_date)');
  });
});

describe('an error of data', () => {
  it.each([
    ['customer_vat_number', "the customer's VAT number", "Correct the customer's tax id"],
    ['vat_number', 'the VAT number of the business', 'in the settings of the business'],
    ['', 'one of the two VAT numbers', 'Correct the tax id that is wrong'],
  ])('code 431 of %p names the number that is wrong, and stops', (param, whose, remedy) => {
    const failure = failureOf(400, dataErrors({ code: 431, param }));
    expect(failure).toMatchObject({ retryable: false, awaitsConnection: false });
    expect(failure.reason).toContain(whose);
    expect(failure.reason).toContain(remedy);
  });

  it('code 434 is final: no attempt can ever bring a number', () => {
    expect(failureOf(400, dataErrors({ code: 434 }, { code: 431 }))).toMatchObject({
      retryable: false,
      isFinal: true,
      reason: expect.stringContaining('older than a year'),
    });
  });

  it('code 435 is repeated on the day 30 days before the document', () => {
    const early = dataFailure(JSON.stringify(dataErrors({ code: 435 })), { ...about, date: '2026-08-01' });
    expect(early).toMatchObject({ retryable: true, isEndless: true });
    expect(early?.notBefore).toEqual(new Date('2026-07-01T21:00:00Z'));
    // The border is not documented.
    const near = dataFailure(JSON.stringify(dataErrors({ code: 435 })), { ...about, date: '2026-07-10' });
    expect(near?.notBefore).toEqual(new Date('2026-06-16T08:00:00Z'));
  });

  it('code 446 asks for the person who issues, and waits for the next connection', () => {
    expect(failureOf(400, dataErrors({ code: 446 }))).toMatchObject({
      retryable: false,
      awaitsConnection: true,
      reason: expect.stringContaining('the name or the id of the person'),
    });
  });

  it('codes that are answered together are all named', () => {
    const { reason, ...failure } = failureOf(
      400,
      dataErrors(
        { code: 431, param: 'customer_vat_number' },
        { code: 446 },
        { code: 499, message: 'new rule' },
      ),
    );
    expect(failure).toMatchObject({ retryable: false, awaitsConnection: false });
    for (const words of ["the customer's VAT number", '(446)', 'rejected the request: 499 new rule.']) {
      expect(reason).toContain(words);
    }
  });

  it('any other code stops with the code and the words of the authority', () => {
    const failure = failureOf(400, dataErrors({ code: 499, message: 'new rule', param: 'branch_id' }));
    expect(failure).toMatchObject({ retryable: false });
    expect(failure.reason).toContain('499 new rule (branch_id)');
  });

  it.each([
    [['460'], true],
    [['431', '461'], true],
    [[], true],
    [['431'], false],
    [['499'], false],
  ])('whether codes %p are a refusal in substance is %p', (codes, refuses) => {
    expect(isRefusal(codes)).toBe(refuses);
  });
});

describe('testAnswer', () => {
  it('a document of a test book has the same nine digits at every attempt, in no number of the authority', () => {
    const document = documentWith(null);
    const answer = testAnswer(document, 1);
    expect(answer).toMatchObject({
      kind: 'granted',
      number: expect.stringMatching(/^[0-9]{9}$/),
      confirmationNumber: expect.stringMatching(/^test-[0-9a-f-]{36}-[0-9]{9}$/),
    });
    expect(testAnswer(document, 2)).toEqual(answer);
  });

  it('an item provokes that no number comes, or that it comes with the second attempt', () => {
    expect(testAnswer(documentWith('test_allocation_failed'), 1).kind).toBe('refused');
    const late = documentWith('test_allocation_late');
    expect([1, 2].map((attempts) => testAnswer(late, attempts).kind)).toEqual(['failed', 'granted']);
  });
});

describe('truncateUtf16', () => {
  it('truncateUtf16 keeps a text that fits', () => {
    expect(truncateUtf16('א'.repeat(25), 25)).toBe('א'.repeat(25));
  });

  it('truncateUtf16 returns a single line without surrounding space', () => {
    expect(truncateUtf16('  one\n\ttwo ', 25)).toBe('one two');
    expect(truncateUtf16('one two', 4)).toBe('one');
  });

  it('truncateUtf16 never splits a surrogate pair', () => {
    expect(truncateUtf16('a😀😀', 4)).toBe('a😀');
  });

  it('truncateUtf16 never splits a grapheme', () => {
    // Shin with a dot and a vowel: three code points, one letter.
    const pointed = 'שָׁ';
    expect(pointed).toHaveLength(3);
    expect(truncateUtf16(`${pointed}${pointed}`, 5)).toBe(pointed);
    expect(truncateUtf16('e\u0301e\u0301', 3)).toBe('e\u0301');
    expect(truncateUtf16('👩‍🚀👩‍🚀', 9)).toBe('👩‍🚀');
  });

  it('truncateUtf16 returns part of a grapheme that is longer than the field', () => {
    expect(truncateUtf16(`a${'\u0301'.repeat(40)}`, 25)).toBe(`a${'\u0301'.repeat(24)}`);
  });
});
