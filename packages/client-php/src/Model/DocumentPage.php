<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

final class DocumentPage extends Model
{
    public function __construct(
        /** @var list<CreatedDocument> */
        public readonly array $data,
        /** The `cursor` of the next page; null on the last page. */
        public readonly ?string $next_cursor,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            data: array_map(CreatedDocument::fromArray(...), $members['data'] ?? null),
            next_cursor: $members['next_cursor'] ?? null,
        ));
    }
}
