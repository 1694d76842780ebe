/** Written by `npm run generate` from docs/for-developers.md. */
export const developersGuide = `\
# For developers

Ten minutes of reading, from the first call to going live. The reference of each operation, field and error is at
\`/docs\` of your system; [the TypeScript client](../packages/client/README.md) does what this page states about retries,
keys and cursors on its own.

## The first call

A key is a secret of a server. It names the business, and leads to its live book (\`pk_live_…\`) or its test book
(\`pk_test_…\`). The owner creates it in the console, on the page Connection settings, or the operator with
\`pinkas key create --business ID --mode test\`.

\`\`\`sh
curl "$BASE_URL/documents" -H "Authorization: Bearer $KEY" -H 'Idempotency-Key: order-1042' \\
  -H 'Content-Type: application/json' -d '{
    "type": "tax_invoice_receipt",
    "customer": { "name": "לקוח לדוגמה", "email": "customer@example.com" },
    "items": [{ "description": "שירות לדוגמה", "quantity": 2, "unit_price": 118 }],
    "prices_include_vat": true,
    "payments": [{ "method": "credit_card", "amount": 236, "card_last_digits": "1234" }]
  }'
\`\`\`

\`201\` is permanent: the document has its number, its totals, a page for the customer (\`view_url\`) and a signed PDF
(\`pdf_url\`). Numbers, VAT and totals are computed, never sent. \`expected_total\` refuses a document that does not come to
what you have charged. \`POST /v1/documents/preview\` takes the same body, checks the same and issues nothing: [an order
form](../packages/client/examples/order-form.mjs) shows the total by it.

## One document for each order

\`Idempotency-Key\` names the document: choose something that your program finds again after a restart, such as the order
number. The same key with the same body returns the same document with \`Idempotent-Replayed: true\`, today and in a year.
The same key with another body is \`idempotency_key_reused\`. A refused attempt has issued nothing; an earlier one with
the same key may have. So never take another key for the same order, whatever the answer was: where nothing was issued, the
key is free for the corrected request.

## Values

- Amounts are JSON numbers with at most two decimals: \`118\` or \`118.50\`, never \`"118.50"\`. Shops often keep them as
  text: convert (PHP: \`round((float) $order->get_total(), 2)\`).
- A field without a value is left out: \`null\` is refused, and an empty text is no value of an \`email\`, a \`phone\`, a
  \`tax_id\` or a \`date\`.
- Booleans are \`true\` and \`false\`. A list is a JSON array: after PHP's \`array_filter\`, \`array_values\` makes it one
  again.
- A cancellation without a reason has no body, or \`{}\`; PHP's \`json_encode([])\` is \`[]\`, which is \`invalid_json\`.

## Which document

| what happened | what to issue |
| --- | --- |
| an order was paid | \`tax_invoice_receipt\` (an exempt dealer or an NPO: \`receipt\`) |
| a business customer pays later | \`tax_invoice\`, and a \`receipt\` with \`based_on\` when it pays |
| money was returned, all or a part | \`credit_note\` with \`based_on\`, with the lines that are returned |
| a deposit was paid | \`tax_invoice_receipt\` of the deposit; at the end, one of the rest |
| nothing has to be paid | the same type with a total of 0, without \`payments\` |

Shipping, a fee and a tip are lines of their own. A coupon is the \`discount\`, or a line price that is lower already.
Each line is rounded to agorot: with \`prices_include_vat: true\`, the total is exactly what the lines come to. Where your shop
rounds the sum only, send \`expected_total\` and correct the lines, rather than accept another total.

## Errors and retries

| what you see | what happened | what to do |
| --- | --- | --- |
| 4xx with \`retryable: false\` | this attempt issued nothing | correct the request; show \`message\` or \`message_he\` |
| \`daily_limit_reached\` (429, \`retryable: false\`) | this attempt issued nothing | the same request with the same key after midnight in Israel: \`Retry-After\` has the seconds |
| \`rate_limited\`, \`request_in_progress\`, 5xx: \`retryable: true\` | this attempt issued nothing, or it is not known | send the same request with the same key, with growing waits, after \`Retry-After\` |
| no answer | it is not known | the same |

Branch on \`error.code\`, and treat a code that you do not know by its status and \`retryable\`. Give a \`POST\` 20 seconds.
Log \`request_id\`: it finds the request in our logs.

A document is issued although its allocation number or its email is not there yet: \`allocation.status\` and
\`delivery.status\` say so. What follows is an event.

## Events

What happens later, or in the console, is an event: a late allocation number, a donation that was reported, a refusal, a
bounced email, a document that was cancelled or closed by a receipt, a reminder of open documents. Each outcome is one
event, whether or not the response of \`POST /documents\` had it already. There are two ways to learn of it, and a good
integration uses both.

**Webhooks** come at once. The owner enters the address of your receiver in the console (or the operator:
\`pinkas webhook create URL --business ID\`) and copies the secret, which is shown once. Then your receiver

1. reads the body as bytes, and verifies the signature over them: [Standard
   Webhooks](https://www.standardwebhooks.com), for which there is a library in each language; the client has
   \`verifyWebhook\`, and the reference has the check in Node, Python and PHP, and an example of each type of event;
2. stores the event under its \`id\`, unless it is there: an event may come twice, and in another order;
3. answers 2xx within ten seconds, and works on it afterwards.

Anything else is sent again after 5 s, 1 min, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h. An answer of 410 ends
it. If every attempt fails for five days, the endpoint is disabled; the owner gets an email after a day and then. When
it is enabled, \`resend\` sends what was missed. A rotated secret and the one before it both sign for 24 hours. Requests
come over https to port 443, or one from 1024 up, at a public address; redirects are not followed.

On your machine no endpoint is needed: this posts each event to your program, signed in the same way, and prints the
secret and what was answered.

\`\`\`sh
PINKAS_BASE_URL=$BASE_URL PINKAS_KEY=$KEY npx -p $ORIGIN/client.tgz pinkas-client listen http://localhost:3000/hook
\`\`\`

**The list** misses nothing. \`GET /v1/events?cursor=…\` has the events in the order in which they were committed, oldest
first, for 90 days. Store \`next_cursor\` after each page, and begin with it the next time: every few minutes, or when a
webhook comes. It is never null, unlike that of \`GET /v1/documents\`, and there is no \`has_more\`: a page with fewer
events than \`limit\` (50) is the last one for now.

Events begin with the first endpoint or the first call of the list. A document that was issued before has none of its
allocation number and its messages. \`data.document\` is the document as a list showed it when the event was stored; for
its state of now, read it. Ignore types and members that you do not know.

Receivers in [Node](../packages/client/examples/receive-webhooks.mjs) and
[Python](../packages/client/examples/receive_webhooks.py), and [a
poller](../packages/client/examples/poll-events.mjs), each of one screen.

## Generated clients

TypeScript has [its client](../packages/client/README.md): \`npm install $ORIGIN/client.tgz\`. PHP has
[one with Composer](../packages/client-php/README.md), [a shop of one screen](../packages/client-php/examples/shop.php), and
[the way from WooCommerce's totals](from-woocommerce.md). For other languages a generator makes one of
\`$BASE_URL/openapi.json\`; these are tested: openapi-python-client, oapi-codegen (Go), openapi-typescript, and
openapi-generator for Python, PHP, TypeScript (\`typescript-fetch\`) and Java (\`native\`, with
\`containerDefaultToNull=true\`: otherwise it sends an empty \`payments\` with each document, which is refused). What a
generated client does not do is the waiting between attempts with the same key, and the check of webhooks: [the page about
Python](python.md) has them, with cursors and money.

## Collections

Every operation with the examples of the reference, with a check of each answer: \`$ORIGIN/postman.json\`, which Postman and
others import by its address, and a folder for Bruno in [the client's
package](../packages/client/collections). Set \`key\` to a test key; another \`order\` names other documents.

## Agents

\`$ORIGIN/llms.txt\` is where a language model begins, and \`$ORIGIN/docs.md\` is all of this documentation in one text.

[The server for agents](../packages/mcp/README.md) gives them the API as tools of the Model Context Protocol:
\`npx -p $ORIGIN/mcp.tgz pinkas-mcp\`, with \`PINKAS_BASE_URL\` and \`PINKAS_KEY\` in the environment. It takes a test key unless
\`--live\` is given. An agent issues by the token of a preview, and one document of a type for each \`external_ref\`.

## Test mode

A test key leads to a book of its own: documents say that they are tests, nothing counts, nothing is sent, and the
product itself answers for the tax authority. A \`sku\` of an item provokes what you cannot cause otherwise
(\`test_allocation_late\`, \`test_engine_error_after_issue\`, … in the reference). The test book has endpoints of its own,
and its events have \`mode: "test"\`. On your machine \`npm start\` runs the complete system, which may send webhooks to
\`http://127.0.0.1\`.

## Going live

- The key is on the server alone, in the configuration and not in the code.
- One order has one document after every error that you can provoke, after no answer, and after a restart in between.
- A document whose allocation number is missing, and one whose email was not sent, is seen by somebody.
- The receiver rejects a request with another signature, and handles an event that comes twice once.
- The poller has run before the first document was issued, so that events begin.
- \`expected_total\` is what the customer has paid.
- You know what to do on \`rate_limited\` (60 requests a minute unless \`GET /v1/me\` has another limit) and
  \`daily_limit_reached\`.
`;
