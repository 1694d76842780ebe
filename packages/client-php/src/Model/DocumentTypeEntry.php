<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

final class DocumentTypeEntry extends Model
{
    public function __construct(
        public readonly string $type,
        /** In English. */
        public readonly string $name,
        /** In Hebrew. */
        public readonly string $name_he,
        /** `false`: payments are refused. */
        public readonly bool $requires_payments,
        public readonly bool $allows_discount,
        /**
         * What a document of this type may be based on.
         * @var list<string>
         */
        public readonly array $based_on_types,
        public readonly bool $based_on_required,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            type: $members['type'] ?? null,
            name: $members['name'] ?? null,
            name_he: $members['name_he'] ?? null,
            requires_payments: $members['requires_payments'] ?? null,
            allows_discount: $members['allows_discount'] ?? null,
            based_on_types: $members['based_on_types'] ?? null,
            based_on_required: $members['based_on_required'] ?? null,
        ));
    }
}
