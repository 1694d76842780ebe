<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;
use Pinkas\Money;

/** One line: `line_total` = quantity × unit_price, rounded half away from zero to 2 decimals. */
final class ItemInput extends Model
{
    public function __construct(
        /**
         * What is sold. White space and characters that cannot be seen are no description alone; a line break is
         * printed as a blank.
         */
        public readonly string $description,
        /** At most 4 decimals, counted on the shortest form of the number: 1.50 has one. */
        public readonly float $quantity,
        /** ILS for one unit, at most 2 decimals; net or gross by `prices_include_vat`. */
        public readonly Money $unit_price,
        /** The caller's article number. */
        public readonly ?string $sku = null,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            description: $members['description'] ?? null,
            quantity: $members['quantity'] ?? null,
            unit_price: Money::ofNumber($members['unit_price'] ?? null),
            sku: $members['sku'] ?? null,
        ));
    }
}
