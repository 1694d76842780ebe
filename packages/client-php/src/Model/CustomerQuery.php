<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

final class CustomerQuery extends Model
{
    public function __construct(
        /**
         * What the name contains, whatever the letter case, points of vowels, quotation marks, apostrophes and
         * hyphens it was typed with or without, or the exact tax id, with or without its leading zeros. Absent:
         * every customer.
         */
        public readonly ?string $q = null,
        /** Customers at the most. */
        public readonly ?int $limit = null,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            q: $members['q'] ?? null,
            limit: $members['limit'] ?? null,
        ));
    }
}
