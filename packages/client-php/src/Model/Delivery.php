<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

/** What becomes of the customer's copy. It never holds up issuing. */
final class Delivery extends Model
{
    public function __construct(
        /**
         * `queued`: it will be sent. `deferred_quiet_hours`: it will be sent at `scheduled_for`. `disabled`: the
         * business does not send by itself. `suppressed`: the request said `send: false`, or the address is not
         * written to any more. `no_recipient`: no address for the channel on the document. `send_failed`: it could
         * not be queued.
         * @var 'queued'|'deferred_quiet_hours'|'disabled'|'suppressed'|'no_recipient'|'send_failed'
         */
        public readonly string $status,
        /**
         * What it is sent by; null where nothing is to be sent.
         * @var 'email'|'whatsapp'|'both'|null
         */
        public readonly ?string $channel,
        /** The end of the quiet hours, where it waits for them. */
        public readonly ?string $scheduled_for,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            status: $members['status'] ?? null,
            channel: $members['channel'] ?? null,
            scheduled_for: $members['scheduled_for'] ?? null,
        ));
    }
}
