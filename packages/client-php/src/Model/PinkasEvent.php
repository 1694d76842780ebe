<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

/**
 * Something that happened, as a webhook sends it and as the list has it. It is never changed. Ignore members and
 * types that you do not know.
 */
final class PinkasEvent extends Model
{
    public function __construct(
        /** The same in the list and in every attempt of every webhook: what arrives twice has it twice. */
        public readonly string $id,
        public readonly string $type,
        /** When it happened, in UTC. */
        public readonly string $timestamp,
        /**
         * The book that it belongs to.
         * @var 'live'|'test'
         */
        public readonly string $mode,
        /** The business, as `GET /me` names it. */
        public readonly string $business_id,
        public readonly PinkasEventData $data,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            id: $members['id'] ?? null,
            type: $members['type'] ?? null,
            timestamp: $members['timestamp'] ?? null,
            mode: $members['mode'] ?? null,
            business_id: $members['business_id'] ?? null,
            data: PinkasEventData::fromArray($members['data'] ?? null),
        ));
    }
}
