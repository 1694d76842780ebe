<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

/** What a document would be, if it were issued now. */
final class DocumentPreview extends Model
{
    public function __construct(
        public readonly string $type,
        /** The date of the document, Asia/Jerusalem. */
        public readonly string $date,
        /** When it is to be paid: tax_invoice and proforma only. */
        public readonly ?string $due_date,
        public readonly Totals $totals,
        /** Whether an allocation number would be asked for. */
        public readonly DocumentPreviewAllocation $allocation,
        public readonly Delivery $delivery,
        /** The customer card that the document would be issued to. */
        public readonly DocumentPreviewCustomer $customer,
        /**
         * What a person should know of the document; mostly empty. No warning refuses it.
         * @var list<IssuedDocumentWarning>
         */
        public readonly array $warnings,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            type: $members['type'] ?? null,
            date: $members['date'] ?? null,
            due_date: $members['due_date'] ?? null,
            totals: Totals::fromArray($members['totals'] ?? null),
            allocation: DocumentPreviewAllocation::fromArray($members['allocation'] ?? null),
            delivery: Delivery::fromArray($members['delivery'] ?? null),
            customer: DocumentPreviewCustomer::fromArray($members['customer'] ?? null),
            warnings: array_map(IssuedDocumentWarning::fromArray(...), $members['warnings'] ?? null),
        ));
    }
}
