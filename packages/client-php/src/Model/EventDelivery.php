<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

/** A message to the customer or the accountant. */
final class EventDelivery extends Model
{
    public function __construct(
        /** @var 'email'|'whatsapp' */
        public readonly string $channel,
        /**
         * Who receives the message.
         * @var 'customer'|'accountant'
         */
        public readonly string $purpose,
        /** The address, masked: enough to recognize it. */
        public readonly string $recipient,
        /** How often it was attempted. */
        public readonly int $attempt,
        /** Why it was given up; null where it was sent. */
        public readonly ?string $reason,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            channel: $members['channel'] ?? null,
            purpose: $members['purpose'] ?? null,
            recipient: $members['recipient'] ?? null,
            attempt: $members['attempt'] ?? null,
            reason: $members['reason'] ?? null,
        ));
    }
}
