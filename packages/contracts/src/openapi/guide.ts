import { documentTypeRules, documentTypes, testSkus } from '@pinkas/domain';
import { validationErrorsMax } from '../schema/validate.js';

/** The table of document types, made from the rules that the service applies. */
const typesTable = [
  '| type | Hebrew | takes | may be based on |',
  '| --- | --- | --- | --- |',
  ...documentTypes.map((type) => {
    const rules = documentTypeRules[type];
    const takes = [
      ...(rules.payments === 'required' ? ['payments'] : []),
      ...(rules.discount === 'allowed' ? ['a discount'] : []),
    ].join(', ');
    const sources = `${rules.sources.join(', ') || '–'}${rules.sourceRequired ? ' (required)' : ''}`;
    return `| **${type}** | ${rules.nameHe} | ${takes} | ${sources} |`;
  }),
].join('\n');

const testMeanings: Readonly<Record<keyof typeof testSkus, (outcome: string) => string>> = {
  allocation: (outcome) =>
    outcome === 'late'
      ? '`allocation.status` is `failed`; the number comes a few seconds later'
      : `\`allocation.status\` is \`${outcome}\``,
  donation: (outcome) =>
    outcome === 'late'
      ? '`donation.status` is `pending`; the number comes a few seconds later'
      : `\`donation.status\` is \`${outcome}\``,
  delivery: (outcome) =>
    outcome === 'failed'
      ? '`delivery.status` is `queued`; the message fails for good, with the event `delivery.failed`'
      : `\`delivery.status\` is \`${outcome}\``,
  authority: (outcome) => `the event \`authority.${outcome}\` behind \`document.issued\``,
  error: (outcome) => {
    switch (outcome) {
      case 'engine_error_after_issue':
        return '`engine_error`, although the document is issued: sent again, the request is answered with it';
      case 'request_in_progress':
        return '`request_in_progress`; sent again, the request is answered with the document';
      default:
        return `\`${outcome}\`, and nothing is issued`;
    }
  },
  delaySeconds: (seconds) => `the answer comes ${seconds} seconds after the document; a replay comes at once`,
};

/** What an item provokes in a test book, made from the values that the services know. */
const testTable = [
  '| `sku` of an item | provokes |',
  '| --- | --- |',
  ...(Object.keys(testSkus) as (keyof typeof testSkus)[]).flatMap((kind) =>
    Object.entries(testSkus[kind]).map(
      ([sku, outcome]) => `| \`${sku}\` | ${testMeanings[kind](String(outcome))} |`,
    ),
  ),
].join('\n');

const issuedClosed = documentTypes.filter((type) => documentTypeRules[type].issuedAs === 'closed').join(', ');

/** The opening of the reference, as Markdown: rules that concern all operations. */
export const guide = `\
For one business: quotes, orders, delivery notes, return notes, proformas, tax invoices, tax invoice / receipts, receipts, credit notes
and donation receipts. The service gives each document its number, computes VAT and totals, signs the PDF, hosts a page, asks the tax
authority for the allocation number, and sends the document to the customer.

# A first document

\`\`\`sh
curl "$BASE_URL/documents" \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Idempotency-Key: order-1042" \\
  -H "Content-Type: application/json" \\
  -d '{
    "type": "tax_invoice_receipt",
    "customer": { "name": "לקוח לדוגמה", "email": "customer@example.com" },
    "items": [{ "description": "שירות לדוגמה", "quantity": 2, "unit_price": 118 }],
    "prices_include_vat": true,
    "payments": [{ "method": "credit_card", "amount": 236, "card_last_digits": "1234" }]
  }'
\`\`\`

The answer is \`201\` with the document: \`number\`, \`totals\`, \`view_url\`, \`pdf_url\`, \`allocation\`, \`delivery\`. A number, a VAT
rate, a status and an allocation number are never sent: they are computed. Documents are always issued when the request is
valid; what becomes of the allocation number and of the delivery is reported, and holds nothing up.

# Keys

Send the key as \`Authorization: Bearer <key>\` or as \`X-Api-Key: <key>\`. It names the business: all documents and customers are
those of its business, and the id of another one does not exist (\`404\`). A key is a secret for servers; there is no CORS.
A key begins with \`pk_live_\` or \`pk_test_\` and ends with a checksum: a mistyped or truncated one is \`unauthorized\`, and so are two
different keys. Equal lines of a header count once, different ones are refused; \`Authorization: Basic\` next to \`X-Api-Key\` is no key.
Each operation says which scope the key needs: \`documents:write\`, \`documents:read\`, \`customers:read\`, or any key.

# Test mode

Every business has a test book beside the live one. A key that begins with \`pk_test_\` leads there, and \`GET /me\` answers
\`"mode": "test"\`. The books share the profile and the settings of the business and nothing else: numbers begin with 1, and no id, customer
or Idempotency-Key of one exists in the other. Nothing counts and nothing leaves: documents say on every page that they are tests, another certificate
signs them, no allocation number is requested from the tax authority, and messages are kept for the operator to see.

An item provokes an outcome that a request cannot cause otherwise. In a live book the same values are ordinary. Items for the allocation
number have no effect on a type that gets none, and those for the donation report on one that is no donation_receipt or is about no amount (\`warnings\` has \`total_is_zero\`, and \`donation\` the reason); \`test_delivery_queued\`, \`test_delivery_failed\` and \`test_delivery_deferred_quiet_hours\` need an address of the customer.

${testTable}

An integration is tested in ten minutes: issue a document with a test key and open its \`view_url\`; issue one with each of these items;
make sure that your program sends the same request with the same Idempotency-Key again after every error that is \`retryable\`, after no answer at all,
and after a restart, and that it then has one document; and that it shows a document whose \`allocation.status\` is \`failed\` or whose message is not sent.

# Numbers, dates and texts

- **Money** is a JSON number in ILS with at most 2 decimals, never a string. It is computed exactly in whole agorot, rounded half
  away from zero. Decimals are counted on the shortest form of the number: \`1.005\` has three, \`1.50\` has one.
- **Totals**: \`line_total\` = quantity × unit_price, rounded. Net prices: \`vat\` = (lines − discount) × rate. Gross prices
  (\`prices_include_vat\`): the total is lines − discount, and the VAT is taken out of it. Always \`subtotal\` − \`discount\` + \`vat\` = \`total\`.
- **'Within 0.01'** is a difference of at most one agora.
- **Dates** are days in Asia/Jerusalem, \`YYYY-MM-DD\`. **Instants** are ISO 8601 in UTC, for example \`2026-03-01T08:30:00.000Z\`.
- **Texts** are UTF-8, in the order in which they are read aloud: Hebrew, Latin letters and digits may be mixed, and each page and
  PDF sets their direction. Lengths count Unicode code points. NUL and half of a surrogate pair are refused. A text that is required
  and has only white space is empty.
- **Absent and null**: a field without a value is left out of a request (\`null\` is refused) and is \`null\` in an answer. An empty text
  is absent where the field has nothing but a maximum length, and is refused otherwise.
- **Queries**: a boolean is \`true\`, \`false\`, \`1\` or \`0\` in any letter case; \`type=\` may be repeated where it is a list, also as
  \`type[]=\`. A \`cursor\` belongs to its filters: with others it is a \`validation_error\`. \`HEAD\` is answered as \`GET\` is.
- A **body** is \`application/json\`, uncompressed; parameters of the media type have no effect but for another \`charset\` than UTF-8.
- A **request** with an unknown field or query parameter is refused. In an **answer**, ignore the fields that you do not know.

# Issuing once

Every \`POST /documents\` carries an \`Idempotency-Key\` of up to 128 characters. Use one key for one document: an order number, or a random
UUID that you keep.

- The same key with the same JSON value answers \`201\` with the same answer as the first time and the header
  \`Idempotent-Replayed: true\`; nothing is issued. The order of fields and white space do not matter.
- The same key with another body is \`409 idempotency_key_reused\`. While the first request runs it is \`409 request_in_progress\`.
- Only an issued document is remembered. After a refusal the same key may be sent again, changed or not.
- A key belongs to the business, and is kept as long as its document.
- **A cancelled document keeps its key.** Who issues again for the same order takes another one, such as the order number with a suffix. A
  replay of the first key shows the answer of then, \`status\` included; \`GET /documents/{id}\` shows the state of now.

**Retry** when \`error.retryable\` is true, or when no answer came: send the same request again with the **same** key, with growing waits
between attempts, and after \`Retry-After\` where it is given. There will be one document, whatever died in between.

# Types of document

${typesTable}

Where a type takes payments it requires them; what it does not take is refused. Issued \`closed\`: ${issuedClosed}; all others are issued \`open\`. Where the total is 0, \`payments\` is left out, and a tax_invoice or a proforma is \`closed\` at once.

A licensed dealer (\`osek_murshe\`) and a company (\`hevra_baam\`) may issue all types; an exempt dealer, an NPO and a public institution
all but tax_invoice, tax_invoice_receipt and credit_note (VAT law, section 50). \`GET /document-types\` answers for the business of the key.

A quote, order, delivery_note, return_note or proforma can be cancelled. An accounting document is never cancelled, it is reversed by
a credit_note. A receipt closes its tax_invoice or proforma and adds to its \`totals.paid\`. No document is ever deleted.

# Limits

| what | limit |
| --- | --- |
| requests per minute and key | 60, unless \`GET /me\` says otherwise |
| documents per day and key | 300, unless \`GET /me\` says otherwise; the day ends at midnight in Israel |
| requests without a valid key | 60 per minute and client address |
| pages of this reference | 60 per minute and client address |
| pages and PDFs of documents | 600 per minute and client address |
| body | 262,144 bytes |
| lines / payments | 1–100 / 1–20 |

Every answer has \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` (seconds). A \`429\` has \`Retry-After\` in seconds.
Refused requests count as well. Give a \`POST\` 20 seconds before you give up; it is answered within 15. A \`GET\` is answered within 5.

# Errors

Every answer outside 2xx is the error object: branch on \`error.code\`, show \`message\` or \`message_he\`, read \`details\`. An unknown path, or a known path with
another method, is \`404 not_found\`.

After an answer of 4xx, and after \`document_generation_failed\`, this attempt issued nothing; an earlier attempt with the same key may
have (after \`request_in_progress\` and \`idempotency_key_reused\` one has, or is about to). After \`engine_error\` and
\`internal_error\`, as after no answer at all, it is not known whether the document was issued. Whatever the answer,
keep the \`Idempotency-Key\` of the order, and send the next attempt with it: the same request is answered with the document that was issued,
and there is never a second one.

The first reason in this order is answered: \`api_disabled\`; the key (\`unauthorized\`, \`key_revoked\`); \`rate_limited\`; the business
(\`business_archived\`, \`external_provider_not_supported\`, \`business_profile_incomplete\`, \`subscription_required\`, on creation
\`issuing_blocked_expenses_only\`); \`insufficient_scope\`; \`payload_too_large\`; \`missing_idempotency_key\`; \`invalid_json\`; \`validation_error\`, which
names every fault (of more than ${validationErrorsMax}, the first ${validationErrorsMax}). Then, on creation: a replay or \`request_in_progress\` / \`idempotency_key_reused\`; \`legal_type_forbidden\`;
\`payments_required\` / \`payments_not_allowed\`; \`discount_not_allowed\`; \`based_on_required\`; \`invalid_customer_tax_id\`; \`future_date\`;
\`based_on_not_found\`; \`based_on_type_not_allowed\`; \`based_on_cancelled\`; \`total_mismatch\`; \`payments_total_mismatch\`; \`customer_not_found\` /
\`customer_identity_conflict\`; \`daily_limit_reached\`; \`date_before_last_document\`; \`document_generation_failed\`.

# Versions

The version is in the path: \`/v1\`. It is stable: fields may be added to answers. What would break a caller is published under \`/v2\`.
`;
