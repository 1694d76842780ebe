<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

final class ProfileAutoSend extends Model
{
    public function __construct(
        /** Whether documents are sent to customers without being asked. */
        public readonly bool $enabled,
        /** @var 'email'|'whatsapp'|'both' */
        public readonly string $channel,
        /** HH:MM-HH:MM in Asia/Jerusalem, the start inside and the end outside; may pass midnight. Null: none. */
        public readonly ?string $quiet_hours,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            enabled: $members['enabled'] ?? null,
            channel: $members['channel'] ?? null,
            quiet_hours: $members['quiet_hours'] ?? null,
        ));
    }
}
