<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

/**
 * Of a donation_receipt alone, in place of `customer.tax_id`: the donation is reported as that of a foreign
 * resident. Without both it is reported as anonymous.
 */
final class ForeignDonor extends Model
{
    public function __construct(
        /** The country of the donor, ISO 3166-1 alpha-2. */
        public readonly string $country,
        /** The number of the passport, where it is known. */
        public readonly ?string $passport = null,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            country: $members['country'] ?? null,
            passport: $members['passport'] ?? null,
        ));
    }
}
