<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

/** The outcome of requesting an allocation number. */
final class EventAllocation extends Model
{
    public function __construct(
        /**
         * `failed`: there is no number yet, or none for good; where another attempt follows, another event follows
         * as well.
         * @var 'issued'|'refused'|'failed'
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
