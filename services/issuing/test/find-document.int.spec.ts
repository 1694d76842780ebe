import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findPublicDocument, getDocument } from '@pinkas/contracts';
import { type IssuingUnderTest, startIssuing } from './issuing.js';

describe('an issued document', () => {
  let issuing: IssuingUnderTest;
  beforeAll(async () => {
    issuing = await startIssuing();
  });
  afterAll(() => issuing.stop());

  it('is found by its public id, with the business as it was at the issue', async () => {
    const { document, state } = await issuing.issue();
    const found = await issuing.network.ask(findPublicDocument, { public_id: document.public_id });
    expect(found).toEqual({ document, state, business: issuing.business });
  });

  it('has a public id that cannot be guessed', async () => {
    const { document } = await issuing.issue();
    expect(Buffer.from(document.public_id, 'base64url')).toHaveLength(16);
    await expect(issuing.network.ask(findPublicDocument, { public_id: document.id })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is not there under an id that was never given', async () => {
    await expect(
      issuing.network.ask(getDocument, { business_id: issuing.business.id, document_id: randomUUID() }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});
