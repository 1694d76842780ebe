<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

final class Customer extends Model
{
    public function __construct(
        public readonly string $id,
        public readonly string $name,
        /** Nine digits. */
        public readonly ?string $tax_id,
        public readonly ?string $legal_type,
        public readonly ?string $email,
        public readonly ?string $phone,
        public readonly ?string $city,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            id: $members['id'] ?? null,
            name: $members['name'] ?? null,
            tax_id: $members['tax_id'] ?? null,
            legal_type: $members['legal_type'] ?? null,
            email: $members['email'] ?? null,
            phone: $members['phone'] ?? null,
            city: $members['city'] ?? null,
        ));
    }
}
