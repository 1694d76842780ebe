<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

final class EventPage extends Model
{
    public function __construct(
        /** @var list<PinkasEvent> */
        public readonly array $data,
        /**
         * Where to go on: the `cursor` of the next page, or, where this is the last one, of the next time. Never
         * null.
         */
        public readonly string $next_cursor,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            data: array_map(PinkasEvent::fromArray(...), $members['data'] ?? null),
            next_cursor: $members['next_cursor'] ?? null,
        ));
    }
}
