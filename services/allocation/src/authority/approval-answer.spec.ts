import { describe, expect, it } from '@jest/globals';
import { invalidFields, readApprovalAnswer, readLookUpAnswer } from './approval-answer.js';

const id = '0d6a8f7e-8c3e-4b3d-9a54-5f3f2f0f0a01';
const read = (value: unknown) => readApprovalAnswer(JSON.stringify(value), id);
const lookUp = (value: unknown) => readLookUpAnswer(JSON.stringify(value), id);

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
    expect(lookUp({ invoice_id: id, confirmation_number: '20240627231846297178091822' })).toEqual({
      kind: 'granted',
      confirmationNumber: '20240627231846297178091822',
      number: '178091822',
    });
  });

  it.each(['0', 0, '', null])('readLookUpAnswer returns none for the number %p', (none) => {
    expect(lookUp({ confirmation_number: none })).toEqual({ kind: 'none' });
  });

  it.each([
    ['says nothing of a number', {}],
    ['could not look', { confirmation_number: '0', message: { errors: [{ code: 472 }] } }],
    ['is about another document', { invoice_id: 'another', confirmation_number: '123456789012' }],
    ['has letters', { confirmation_number: '12345678901X' }],
  ])('readLookUpAnswer rejects an answer that %s', (_case, answer) => {
    expect(() => lookUp(answer)).toThrow('the answer');
  });
});

describe('invalidFields', () => {
  it('invalidFields returns field names once each', () => {
    const errors = [{ param: 'vat_number' }, { param: 'vat_number' }, { param: 'a b' }, { param: 7 }, {}];
    expect(invalidFields(JSON.stringify({ message: { errors } }))).toEqual(['vat_number']);
    expect(invalidFields('<html>')).toEqual([]);
  });
});
