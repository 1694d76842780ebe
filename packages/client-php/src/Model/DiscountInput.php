<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;
use Pinkas\Money;

/** A discount on the whole document. Not on a receipt or a donation_receipt. */
final class DiscountInput extends Model
{
    public function __construct(
        /** @var 'percent'|'amount' */
        public readonly string $type,
        /**
         * Above 0. Percent (at most 100) or ILS (rounded to 2 decimals), in the price basis of the request: net or
         * gross by `prices_include_vat`. A discount above the sum of the lines is a `validation_error`.
         */
        public readonly Money|float $value,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            type: $members['type'] ?? null,
            value: $members['value'] ?? null,
        ));
    }
}
