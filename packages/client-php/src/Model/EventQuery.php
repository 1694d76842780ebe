<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

final class EventQuery extends Model
{
    public function __construct(
        /**
         * Only events of these types; the parameter may be repeated.
         * @var list<string>|null
         */
        public readonly ?array $type = null,
        /** Only events of this document. */
        public readonly ?string $document_id = null,
        /** Events in one page. */
        public readonly ?int $limit = null,
        /** `next_cursor` of a page; the other parameters stay as they were. Absent: from the first. */
        public readonly ?string $cursor = null,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            type: $members['type'] ?? null,
            document_id: $members['document_id'] ?? null,
            limit: $members['limit'] ?? null,
            cursor: $members['cursor'] ?? null,
        ));
    }
}
