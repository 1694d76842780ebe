<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;
use Pinkas\Money;

/**
 * The document to issue. Number, VAT rate, totals, status and allocation number are never sent: the service
 * computes them. An unknown field is a `validation_error`. Texts may be in any language and direction; lengths
 * count Unicode code points. Every line break (CR LF, CR, U+2028 and others) is kept as `\n`. No text has NUL or
 * half of a surrogate pair. What the schema cannot state: `due_date` is not before `date`.
 */
final class CreateDocument extends Model
{
    public function __construct(
        /** What to issue. `GET /document-types` lists what this business may issue. */
        public readonly string $type,
        public readonly CustomerInput $customer,
        /**
         * The lines.
         * @var list<ItemInput>
         */
        public readonly array $items,
        /**
         * The date of the document, Asia/Jerusalem. Default: today. Not in the future (`future_date`), and not
         * earlier than the last document of the same type (`date_before_last_document`), cancelled ones included.
         */
        public readonly ?string $date = null,
        /**
         * When it is to be paid: on a tax_invoice or a proforma only, and not before `date`. Default: by the
         * payment terms of the business.
         */
        public readonly ?string $due_date = null,
        public readonly ?ForeignDonor $foreign_donor = null,
        /**
         * Whether unit prices, and an amount of discount, are gross (with VAT) or net. Default: the setting of the
         * business (`GET /me`).
         */
        public readonly ?bool $prices_include_vat = null,
        public readonly ?DiscountInput $discount = null,
        /**
         * Required for receipt, tax_invoice_receipt and donation_receipt unless the total is 0, and refused on
         * every other type. Their sum must be within 0.01 of the total (`payments_total_mismatch`).
         * @var list<PaymentInput>|null
         */
        public readonly ?array $payments = null,
        /**
         * The id of the source document. A credit_note needs one: a tax_invoice or a tax_invoice_receipt. `GET
         * /document-types` lists for each type what it may be based on. A receipt closes its tax_invoice or
         * proforma; a tax_invoice or a tax_invoice_receipt closes its source; a credit_note closes a tax_invoice
         * once credits and receipts reach its total. A cancelled document is no source.
         */
        public readonly ?string $based_on = null,
        /** Printed as a header. */
        public readonly ?string $title = null,
        /** Printed below the totals. */
        public readonly ?string $notes = null,
        /**
         * ILS, at most 2 decimals: round a total that has more. A safety check: unless the computed total is within
         * 0.01 of it, nothing is issued (`total_mismatch`).
         */
        public readonly ?Money $expected_total = null,
        /**
         * Default `true`. `false`: this document is not sent to the customer. The accountant's copy follows the
         * settings of the business regardless.
         */
        public readonly ?bool $send = null,
        /** The caller's own reference, for example an order number. Echoed; documents can be listed by it. */
        public readonly ?string $external_ref = null,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            type: $members['type'] ?? null,
            customer: CustomerInput::fromArray($members['customer'] ?? null),
            items: array_map(ItemInput::fromArray(...), $members['items'] ?? null),
            date: $members['date'] ?? null,
            due_date: $members['due_date'] ?? null,
            foreign_donor: isset($members['foreign_donor']) ? ForeignDonor::fromArray($members['foreign_donor']) : null,
            prices_include_vat: $members['prices_include_vat'] ?? null,
            discount: isset($members['discount']) ? DiscountInput::fromArray($members['discount']) : null,
            payments: isset($members['payments']) ? array_map(PaymentInput::fromArray(...), $members['payments']) : null,
            based_on: $members['based_on'] ?? null,
            title: $members['title'] ?? null,
            notes: $members['notes'] ?? null,
            expected_total: isset($members['expected_total']) ? Money::ofNumber($members['expected_total']) : null,
            send: $members['send'] ?? null,
            external_ref: $members['external_ref'] ?? null,
        ));
    }
}
