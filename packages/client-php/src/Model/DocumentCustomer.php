<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

/** As it was when the document was issued; never changes. */
final class DocumentCustomer extends Model
{
    public function __construct(
        /** The customer card. */
        public readonly ?string $id,
        public readonly ?string $name,
        public readonly ?string $tax_id,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            id: $members['id'] ?? null,
            name: $members['name'] ?? null,
            tax_id: $members['tax_id'] ?? null,
        ));
    }
}
