<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;
use Pinkas\Money;

/** The other members of `error.details` of a request that was refused. Absent: there were none. */
final class LoggedRequestDetails extends Model
{
    public function __construct(
        /** The customer whose card has the tax id. */
        public readonly ?string $existing_customer_id = null,
        /** ILS: the computed total, to which the payments must sum. */
        public readonly ?Money $total = null,
        /**
         * What a document of this type may be based on.
         * @var list<string>|null
         */
        public readonly ?array $allowed_source_types = null,
        /** ILS: what the document would come to. */
        public readonly ?Money $computed_total = null,
        /** The date of the last document of this type. */
        public readonly ?string $last_document_date = null,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            existing_customer_id: $members['existing_customer_id'] ?? null,
            total: isset($members['total']) ? Money::ofNumber($members['total']) : null,
            allowed_source_types: $members['allowed_source_types'] ?? null,
            computed_total: isset($members['computed_total']) ? Money::ofNumber($members['computed_total']) : null,
            last_document_date: $members['last_document_date'] ?? null,
        ));
    }
}
