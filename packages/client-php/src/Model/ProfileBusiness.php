<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

final class ProfileBusiness extends Model
{
    public function __construct(
        public readonly string $id,
        public readonly string $name,
        /**
         * `osek_murshe` licensed dealer, `hevra_baam` company, `osek_patur` exempt dealer, `amuta` NPO,
         * `public_institution`. The last three issue no tax invoices (VAT law, section 50).
         */
        public readonly string $legal_type,
        /** The Hebrew label of `legal_type`. */
        public readonly string $legal_type_he,
        /** Nine digits; null while the profile lacks it. */
        public readonly ?string $tax_id,
        /** Percent, for example 18; 0 for exempt dealers and in Eilat. */
        public readonly float $vat_rate,
        /** The default of the request field of the same name. */
        public readonly bool $prices_include_vat,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            id: $members['id'] ?? null,
            name: $members['name'] ?? null,
            legal_type: $members['legal_type'] ?? null,
            legal_type_he: $members['legal_type_he'] ?? null,
            tax_id: $members['tax_id'] ?? null,
            vat_rate: $members['vat_rate'] ?? null,
            prices_include_vat: $members['prices_include_vat'] ?? null,
        ));
    }
}
