<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

/** A document that was issued; a replay has the warnings of the first answer. */
final class IssuedDocument extends Model
{
    public function __construct(
        public readonly string $id,
        /** Unguessable; the last part of `view_url` and `pdf_url`. A person who has it sees the document. */
        public readonly string $public_id,
        public readonly string $type,
        /** The number in the book: one sequence for each business and type, without gaps. */
        public readonly int $number,
        /**
         * tax_invoice_receipt, receipt, donation_receipt and credit_note are issued `closed`, all others `open`.
         * `cancelled` hides a document from lists; its number stays in the book.
         */
        public readonly string $status,
        /** The date of the document, Asia/Jerusalem. */
        public readonly string $date,
        /** When it is to be paid: tax_invoice and proforma only. */
        public readonly ?string $due_date,
        /** The caller's reference, as it was sent. */
        public readonly ?string $external_ref,
        public readonly DocumentCustomer $customer,
        public readonly Totals $totals,
        /** The tax authority's allocation number as printed, 9 digits, as soon as it is known. */
        public readonly ?string $allocation_number,
        /** The hosted page of the document; needs no key. */
        public readonly string $view_url,
        /** The signed PDF; needs no key. The same bytes until a revision, for example with the allocation number. */
        public readonly string $pdf_url,
        /** The id of the source document. */
        public readonly ?string $based_on,
        /** When it was cancelled, in UTC. */
        public readonly ?string $cancelled_at,
        /** When it was issued, in UTC. */
        public readonly string $created_at,
        public readonly Allocation $allocation,
        public readonly Delivery $delivery,
        /**
         * What a person should know of the document; mostly empty. No warning refuses it.
         * @var list<IssuedDocumentWarning>
         */
        public readonly array $warnings,
        public readonly ?Donation $donation = null,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            id: $members['id'] ?? null,
            public_id: $members['public_id'] ?? null,
            type: $members['type'] ?? null,
            number: $members['number'] ?? null,
            status: $members['status'] ?? null,
            date: $members['date'] ?? null,
            due_date: $members['due_date'] ?? null,
            external_ref: $members['external_ref'] ?? null,
            customer: DocumentCustomer::fromArray($members['customer'] ?? null),
            totals: Totals::fromArray($members['totals'] ?? null),
            allocation_number: $members['allocation_number'] ?? null,
            view_url: $members['view_url'] ?? null,
            pdf_url: $members['pdf_url'] ?? null,
            based_on: $members['based_on'] ?? null,
            cancelled_at: $members['cancelled_at'] ?? null,
            created_at: $members['created_at'] ?? null,
            allocation: Allocation::fromArray($members['allocation'] ?? null),
            delivery: Delivery::fromArray($members['delivery'] ?? null),
            warnings: array_map(IssuedDocumentWarning::fromArray(...), $members['warnings'] ?? null),
            donation: isset($members['donation']) ? Donation::fromArray($members['donation']) : null,
        ));
    }
}
