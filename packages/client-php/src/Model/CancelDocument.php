<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

final class CancelDocument extends Model
{
    public function __construct(
        /** Why; kept with the document. */
        public readonly ?string $reason = null,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            reason: $members['reason'] ?? null,
        ));
    }
}
