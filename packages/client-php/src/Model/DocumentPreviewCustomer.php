<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

/** The customer card that the document would be issued to. */
final class DocumentPreviewCustomer extends Model
{
    public function __construct(
        /** The customer card; null: issuing opens one. */
        public readonly ?string $id,
        /**
         * By what the customer card was found; null: none was found, and issuing opens one.
         * @var 'id'|'name'|null
         */
        public readonly ?string $matched_by,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            id: $members['id'] ?? null,
            matched_by: $members['matched_by'] ?? null,
        ));
    }
}
