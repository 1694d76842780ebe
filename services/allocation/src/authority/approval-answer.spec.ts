import { describe, expect, it } from '@jest/globals';
import { readApprovalAnswer } from './approval-answer.js';

const read = (value: unknown) => readApprovalAnswer(JSON.stringify(value));

describe('an answer of the authority', () => {
  it('that grants gives the whole number, and its rightmost nine digits as the printed one', () => {
    expect(
      read({
        status: 200,
        message: 'ok',
        confirmation_number: '20240627231846297178091822',
        approved: true,
      }),
    ).toEqual({ kind: 'granted', confirmationNumber: '20240627231846297178091822', number: '178091822' });
  });

  it('keeps the leading zeros of the printed number', () => {
    expect(read({ confirmation_number: '20240627231846297000091822', approved: true })).toMatchObject({
      number: '000091822',
    });
  });

  it('may spell its members in any letter case', () => {
    expect(read({ Confirmation_Number: '123456789012', Approved: true })).toMatchObject({ kind: 'granted' });
    expect(
      read({ Confirmation_number: 0, APPROVED: false, Message: [{ Code: 431, Message: 'wrong' }] }),
    ).toEqual({ kind: 'refused', words: '431 wrong' });
  });

  it('that refuses gives every code with its words on one line', () => {
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
    ).toEqual({ kind: 'refused', words: '460 Refused. Try later; 431 VAT number' });
    expect(read({ approved: false, confirmation_number: '0', message: 'No' })).toEqual({
      kind: 'refused',
      words: 'No',
    });
    expect(read({ approved: false })).toEqual({ kind: 'refused', words: 'without a reason' });
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
  ])('is not believed: %s', (_case, body) => {
    expect(() => readApprovalAnswer(body)).toThrow('the answer');
  });
});
