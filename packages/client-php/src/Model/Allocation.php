<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

/**
 * The tax authority's allocation number: needed on a tax_invoice, tax_invoice_receipt or credit_note whose net is
 * above the threshold of the business (VAT law, section 47(a2)). It never holds up issuing.
 */
final class Allocation extends Model
{
    public function __construct(
        /**
         * `not_required`: below the threshold, another type, a customer who deducts no VAT, or the business is not
         * connected. `issued`: the number is there. `skipped_customer_tax_id_missing`,
         * `skipped_business_tax_id_missing`: not asked for, since a tax id is missing. `failed`: the authority
         * refused or did not answer in time; a later number appears in `allocation_number`.
         * @var 'not_required'|'issued'|'skipped_customer_tax_id_missing'|'skipped_business_tax_id_missing'|'failed'
         */
        public readonly string $status,
        /** The number as printed: 9 digits. */
        public readonly ?string $number,
        /** Why there is no number, in words; null only for `issued`. */
        public readonly ?string $reason,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            status: $members['status'] ?? null,
            number: $members['number'] ?? null,
            reason: $members['reason'] ?? null,
        ));
    }
}
