import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import type {
  CreateDocument,
  CreatedDocument,
  CustomerQuery,
  DocumentQuery,
  EventQuery,
  IssuedDocument,
  PinkasClient,
  PinkasEvent,
} from '@pinkas/client';
import { Previews } from './previews.js';
import { result, ToolError } from './result.js';
import { results } from './results.js';
import schemas from './schemas.json' with { type: 'json' };

/** What a tool is called with: the shape that its schema has been held against by the API, or by `textOf`. */
type Arguments = Readonly<Record<string, unknown>>;

interface Handler {
  readonly tool: Tool;
  call(args: Arguments, signal: AbortSignal): Promise<CallToolResult>;
}

const idOnly = (name: string, description: string) => ({
  type: 'object' as const,
  properties: { [name]: { type: 'string', description } },
  required: [name],
  additionalProperties: false,
});

const nothing = { type: 'object' as const, properties: {}, additionalProperties: false };
const reads = { readOnlyHint: true, openWorldHint: false };
const idIs = 'The id of a document, as another tool has shown it.';

/** The schema of a preview: an agent has to name what the document is for. */
const previewSchema = {
  ...schemas.CreateDocument,
  type: 'object' as const,
  required: [...schemas.CreateDocument.required, 'external_ref'],
  properties: {
    ...schemas.CreateDocument.properties,
    external_ref: {
      ...schemas.CreateDocument.properties.external_ref,
      minLength: 1,
      description:
        'What this document is for: an order number, or a name that you find again, such as "retainer 2026-11 of Example Ltd". A type of document is issued once for each: after an error, and when you begin again, use the same.',
    },
  },
};

/** The tools of a client, each with what it does. */
export function toolsOf(client: PinkasClient): readonly Handler[] {
  const previews = new Previews();
  const [preview, issue] = issuingTools(client, previews);
  return [...profileTools(client), preview, issue, ...documentTools(client), eventTool(client)];
}

const profileTools = (client: PinkasClient): Handler[] => [
  {
    tool: {
      name: 'show_business',
      description: 'The business of the key, its book (live or test), what it may issue, and its limits.',
      outputSchema: results.business,
      inputSchema: nothing,
      annotations: reads,
    },
    call: async (_args, signal) => result(await client.getMe({ signal })),
  },
  {
    tool: {
      name: 'list_document_types',
      description: 'The types of document that this business may issue, with their rules.',
      outputSchema: results.documentTypes,
      inputSchema: nothing,
      annotations: reads,
    },
    call: async (_args, signal) => result(await client.listDocumentTypes({ signal })),
  },
  {
    tool: {
      name: 'find_customers',
      description: 'Customers by a part of their name, or by their tax id.',
      outputSchema: results.customers,
      inputSchema: objectSchema(schemas.CustomerQuery),
      annotations: reads,
    },
    call: async (args, signal) => result(await client.searchCustomers(args as CustomerQuery, { signal })),
  },
];

const issuingTools = (client: PinkasClient, previews: Previews): [Handler, Handler] => [
  {
    tool: {
      name: 'preview_document',
      description:
        'Checks a document and shows what it comes to. Nothing is issued. Returns the token that issue_document takes: show the person the total and the warnings first.',
      outputSchema: results.preview,
      inputSchema: previewSchema,
      annotations: reads,
    },
    call: (args, signal) => preview(client, previews, args, signal),
  },
  {
    tool: {
      name: 'issue_document',
      description:
        'Issues the document of a preview, for good: it has a number, cannot be changed, and may be sent to the customer. Repeating the call returns the same document.',
      outputSchema: results.issued,
      inputSchema: idOnly('token', 'The token of preview_document.'),
      annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: true },
    },
    call: (args, signal) => issue(client, previews, args, signal),
  },
];

const documentTools = (client: PinkasClient): Handler[] => [
  {
    tool: {
      name: 'get_document',
      description: 'One document with its lines and payments.',
      outputSchema: results.document,
      inputSchema: idOnly('id', idIs),
      annotations: reads,
    },
    call: async (args, signal) => result(await client.getDocument(textOf(args, 'id'), { signal })),
  },
  {
    tool: {
      name: 'list_documents',
      description:
        'One page of the documents, newest first. Pass next_cursor as cursor for the page behind it.',
      outputSchema: results.documents,
      inputSchema: objectSchema(schemas.DocumentQuery),
      annotations: reads,
    },
    call: async (args, signal) => {
      const { data, next_cursor } = await client.listDocuments({ limit: 20, ...args } as DocumentQuery, {
        signal,
      });
      return result({ documents: data.map(summaryOf), next_cursor });
    },
  },
  {
    tool: {
      name: 'cancel_document',
      description:
        'Cancels a quote, an order, a delivery note, a return note or a proforma, for good. Other types are corrected by a credit note.',
      outputSchema: results.summary,
      inputSchema: {
        ...idOnly('id', idIs),
        properties: {
          id: { type: 'string', description: idIs },
          reason: { type: 'string', description: 'Why, for the book.' },
        },
      },
      annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    call: async (args, signal) => {
      const { reason } = args;
      const document = await client.cancelDocument(textOf(args, 'id'), {
        ...(typeof reason === 'string' && { reason }),
        signal,
      });
      return result(summaryOf(document as CreatedDocument));
    },
  },
];

const eventTool = (client: PinkasClient): Handler => ({
  tool: {
    name: 'list_events',
    description:
      'What happened, oldest first: documents, allocation numbers, messages. Pass next_cursor as cursor to go on.',
    outputSchema: results.events,
    inputSchema: objectSchema(schemas.EventQuery),
    annotations: reads,
  },
  call: async (args, signal) => {
    const { data, next_cursor } = await client.listEvents({ limit: 20, ...args } as EventQuery, { signal });
    return result({ events: data.map(eventOf), next_cursor });
  },
});

async function preview(
  client: PinkasClient,
  previews: Previews,
  args: Arguments,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const externalRef = textOf(args, 'external_ref');
  // A copied line break would make a second document of the same order.
  if (/^[\s\p{Cf}]|[\s\p{Cf}]$/u.test(externalRef)) {
    throw new ToolError('external_ref begins or ends with a blank. Send it without.');
  }
  const body = { ...args, external_ref: externalRef } as unknown as CreateDocument & { external_ref: string };
  const { data } = await client.listDocuments(
    { external_ref: externalRef, type: body.type, include_cancelled: true, limit: 100 },
    { signal },
  );
  const existing = data.find(({ status }) => status !== 'cancelled');
  if (existing) {
    return result({
      already_issued: summaryOf(existing),
      what_to_do: `This external_ref has a ${body.type} already. Another document of this type needs another external_ref; ask the person first.`,
    });
  }
  const { totals, warnings, ...shown } = await client.previewDocument(body, { signal });
  return result({
    // A cancelled document keeps its key: the next one of the same order has another.
    token: previews.keep(body, totals.total, data.length),
    ...shown,
    totals,
    warnings: warnings.map(({ code, message }) => ({ code, message })),
    ...(data.length > 0 && { cancelled: data.map(summaryOf) }),
    what_to_do:
      data.length > 0
        ? `The ${body.type} of this external_ref was cancelled. Ask the person whether to issue it again, and show the total. Then call issue_document with the token.`
        : 'Show the total to the person. Then call issue_document with the token.',
  });
}

async function issue(
  client: PinkasClient,
  previews: Previews,
  args: Arguments,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const { body, total, idempotencyKey } = previews.find(textOf(args, 'token'));
  const others = Object.keys(args).filter((name) => name !== 'token');
  if (others.length > 0) {
    throw new ToolError(
      `The document is the one of the preview, without ${others.join(', ')}. To change it, call preview_document again.`,
    );
  }
  if (body.expected_total === undefined) {
    const { totals } = await client.previewDocument(body, { signal });
    if (totals.total !== total) {
      throw new ToolError(
        `The document comes to ${totals.total} by now, and ${total} was shown: nothing was issued. Call preview_document again.`,
      );
    }
  }
  const { document, replayed } = await client.createDocument(body, { idempotencyKey, signal });
  // A replay is the answer of then: what has become of the document since is in the document.
  const now = replayed ? await client.getDocument(document.id, { signal }) : document;
  if (now.status === 'cancelled') {
    return result({
      cancelled: [summaryOf(now)],
      replayed,
      what_to_do:
        'This document was issued, and cancelled since; nothing was issued now. To issue it again, ask the person, and call preview_document again.',
    });
  }
  return result({ ...issuedOf({ ...document, status: now.status }), replayed });
}

/** @throws ToolError where it is missing, or no text. */
function textOf(args: Arguments, name: string): string {
  const value = args[name];
  if (typeof value !== 'string' || value.trim() === '') {
    throw new ToolError(`${name} is missing.`);
  }
  return value;
}

const objectSchema = (schema: object) => ({ ...schema, type: 'object' as const }) as Tool['inputSchema'];

const summaryOf = ({ id, type, number, date, status, external_ref, customer, totals }: CreatedDocument) => ({
  id,
  type,
  number,
  date,
  status,
  external_ref,
  customer: customer.name,
  total: totals.total,
});

const issuedOf = ({ allocation, delivery, view_url, pdf_url, ...document }: IssuedDocument) => ({
  ...summaryOf(document as unknown as CreatedDocument),
  allocation,
  delivery,
  view_url,
  pdf_url,
});

const eventOf = ({ id, type, timestamp, data }: PinkasEvent) => {
  const { document, ...others } = data as { document?: CreatedDocument };
  return { id, type, timestamp, ...(document && { document: summaryOf(document) }), ...others };
};
