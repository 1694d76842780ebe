import { describe, expect, it } from '@jest/globals';
import { logContextOf } from './log-context-of.js';

const business = '11111111-1111-4111-8111-111111111111';
const document = '22222222-2222-4222-8222-222222222222';

describe('what a message is about', () => {
  it.each([
    [
      { business_id: business, document_id: document },
      { business_id: business, document_id: document },
    ],
    [{ document: { id: document, business_id: business } }, { business_id: business, document_id: document }],
    [
      { business: { id: business }, body: {} },
      { business_id: business, document_id: undefined },
    ],
    [{ id: document }, { business_id: undefined, document_id: undefined }],
    ['rubbish', { business_id: undefined, document_id: undefined }],
    [null, { business_id: undefined, document_id: undefined }],
  ])('the log context is found in %j', (value, subject) => expect(logContextOf(value)).toEqual(subject));

  it('the log context contains ids only, whatever the message contains', () => {
    expect(logContextOf({ business_id: 'customer@example.com', document_id: 7 })).toEqual({
      business_id: undefined,
      document_id: undefined,
    });
  });
});
