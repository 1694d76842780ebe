<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

/** The connection of the business to the tax authority. */
final class EventConnection extends Model
{
    public function __construct(
        /** By when the owner has to log in again; null where it has ended. */
        public readonly ?string $valid_until,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            valid_until: $members['valid_until'] ?? null,
        ));
    }
}
