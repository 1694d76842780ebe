<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;
use Pinkas\Money;

/** The business of the key, its limits, and the key. */
final class Profile extends Model
{
    public function __construct(
        /**
         * The book of the key: `live`, or `test`, in which nothing counts and nothing is sent. The books share the
         * profile of the business and nothing else.
         * @var 'live'|'test'
         */
        public readonly string $mode,
        public readonly ProfileBusiness $business,
        /**
         * What this business may issue.
         * @var list<string>
         */
        public readonly array $allowed_document_types,
        /** Whether allocation numbers are asked for automatically. */
        public readonly bool $tax_authority_connected,
        /** ILS before VAT. A document whose net is above it needs an allocation number. */
        public readonly Money $allocation_threshold_net,
        public readonly ProfileAutoSend $auto_send,
        public readonly ProfileLimits $limits,
        public readonly ProfileKey $key,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            mode: $members['mode'] ?? null,
            business: ProfileBusiness::fromArray($members['business'] ?? null),
            allowed_document_types: $members['allowed_document_types'] ?? null,
            tax_authority_connected: $members['tax_authority_connected'] ?? null,
            allocation_threshold_net: Money::ofNumber($members['allocation_threshold_net'] ?? null),
            auto_send: ProfileAutoSend::fromArray($members['auto_send'] ?? null),
            limits: ProfileLimits::fromArray($members['limits'] ?? null),
            key: ProfileKey::fromArray($members['key'] ?? null),
        ));
    }
}
