<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

final class DocumentQuery extends Model
{
    public function __construct(
        /** Only documents of this type. */
        public readonly ?string $type = null,
        /** Only documents of this date or later. */
        public readonly ?string $from = null,
        /** Only documents of this date or earlier. */
        public readonly ?string $to = null,
        /** Only documents with exactly this caller's reference. */
        public readonly ?string $external_ref = null,
        /** Whether cancelled documents are listed as well. */
        public readonly ?bool $include_cancelled = null,
        /** Documents in one page. */
        public readonly ?int $limit = null,
        /** `next_cursor` of the page before; the other parameters stay as they were. */
        public readonly ?string $cursor = null,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            type: $members['type'] ?? null,
            from: $members['from'] ?? null,
            to: $members['to'] ?? null,
            external_ref: $members['external_ref'] ?? null,
            include_cancelled: $members['include_cancelled'] ?? null,
            limit: $members['limit'] ?? null,
            cursor: $members['cursor'] ?? null,
        ));
    }
}
