<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;
use Pinkas\Money;

final class DocumentItem extends Model
{
    public function __construct(
        public readonly string $description,
        public readonly float $quantity,
        /** ILS for one unit; net or gross as it was sent. */
        public readonly Money $unit_price,
        /** ILS; net or gross like the unit price. */
        public readonly Money $line_total,
        public readonly ?string $sku,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            description: $members['description'] ?? null,
            quantity: $members['quantity'] ?? null,
            unit_price: Money::ofNumber($members['unit_price'] ?? null),
            line_total: Money::ofNumber($members['line_total'] ?? null),
            sku: $members['sku'] ?? null,
        ));
    }
}
