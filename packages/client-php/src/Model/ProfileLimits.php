<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

final class ProfileLimits extends Model
{
    public function __construct(
        /** Requests per minute of this key. */
        public readonly int $per_minute,
        /** Documents per day (Asia/Jerusalem) of this key. */
        public readonly int $daily_documents,
        /** Documents that this key has issued today. */
        public readonly int $used_today,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            per_minute: $members['per_minute'] ?? null,
            daily_documents: $members['daily_documents'] ?? null,
            used_today: $members['used_today'] ?? null,
        ));
    }
}
