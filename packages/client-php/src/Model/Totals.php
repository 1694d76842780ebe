<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;
use Pinkas\Money;

/**
 * ILS with at most 2 decimals. Always `subtotal` − `discount` + `vat` = `total`. Computed exactly, rounded half
 * away from zero.
 */
final class Totals extends Model
{
    public function __construct(
        /** The lines before VAT and before the discount. */
        public readonly Money $subtotal,
        /** The discount before VAT; 0 where there is none. */
        public readonly Money $discount,
        /** VAT in ILS. */
        public readonly Money $vat,
        /** Percent. */
        public readonly float $vat_rate,
        /** What the document comes to, VAT included. */
        public readonly Money $total,
        /** The sum of its own payments; on a tax_invoice or a proforma, of the receipts based on it. */
        public readonly Money $paid,
        public readonly string $currency,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            subtotal: Money::ofNumber($members['subtotal'] ?? null),
            discount: Money::ofNumber($members['discount'] ?? null),
            vat: Money::ofNumber($members['vat'] ?? null),
            vat_rate: $members['vat_rate'] ?? null,
            total: Money::ofNumber($members['total'] ?? null),
            paid: Money::ofNumber($members['paid'] ?? null),
            currency: $members['currency'] ?? null,
        ));
    }
}
