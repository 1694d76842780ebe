<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

final class ProfileKey extends Model
{
    public function __construct(
        /** The label of the key that calls. */
        public readonly string $name,
        /** The leading characters of the key, to distinguish keys. */
        public readonly string $prefix,
        /** @var list<'documents:write'|'documents:read'|'customers:read'> */
        public readonly array $scopes,
        public readonly string $created_at,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            name: $members['name'] ?? null,
            prefix: $members['prefix'] ?? null,
            scopes: $members['scopes'] ?? null,
            created_at: $members['created_at'] ?? null,
        ));
    }
}
