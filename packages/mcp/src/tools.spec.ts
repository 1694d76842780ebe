import { describe, expect, it } from '@jest/globals';
import type { CreateDocument, PinkasClient } from '@pinkas/client';
import { toolsOf } from './tools.js';

/** A client whose documents come to these totals, one after the other, and what it was asked to issue. */
function clientOf(...totals: number[]) {
  const issued: CreateDocument[] = [];
  const client = {
    listDocuments: async () => ({ data: [], next_cursor: null }),
    previewDocument: async () => ({ totals: { total: totals.shift() }, warnings: [] }),
    createDocument: async (body: CreateDocument) => {
      issued.push(body);
      return { document: { status: 'open', customer: {}, totals: {} }, replayed: false };
    },
  } as unknown as PinkasClient;
  const call = (name: string, args: object) => {
    const handler = toolsOfClient.find(({ tool }) => tool.name === name);
    return handler?.call(args as Record<string, unknown>, new AbortController().signal);
  };
  const toolsOfClient = toolsOf(client);
  const preview = async () => {
    const shown = await call('preview_document', { type: 'tax_invoice', external_ref: 'R-1' });
    return String(shown?.structuredContent?.token);
  };
  return { issued, preview, issue: (token: string) => call('issue_document', { token }) };
}

describe('issue_document', () => {
  it('the API compares the total that was shown, where it takes it', async () => {
    const { issued, preview, issue } = clientOf(100_000_000);
    await issue(await preview());
    expect(issued).toMatchObject([{ expected_total: 100_000_000 }]);
  });

  it('a total that the API does not take is compared with a second preview', async () => {
    const { issued, preview, issue } = clientOf(236_000_000, 236_000_000, 236_000_000, 234_000_000);
    await issue(await preview());
    expect(issued).toEqual([{ type: 'tax_invoice', external_ref: 'R-1' }]);
    await expect(issue(await preview())).rejects.toThrow(
      'comes to 234000000 by now, and 236000000 was shown',
    );
    expect(issued).toHaveLength(1);
  });
});
