<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

final class PinkasEventData extends Model
{
    public function __construct(
        /** The document as a list showed it when the event was stored. */
        public readonly ?CreatedDocument $document = null,
        /** The id of the document that closed it. */
        public readonly ?string $closed_by = null,
        public readonly ?EventAllocation $allocation = null,
        public readonly ?Donation $donation = null,
        public readonly ?EventDelivery $delivery = null,
        public readonly ?EventConnection $connection = null,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            document: isset($members['document']) ? CreatedDocument::fromArray($members['document']) : null,
            closed_by: $members['closed_by'] ?? null,
            allocation: isset($members['allocation']) ? EventAllocation::fromArray($members['allocation']) : null,
            donation: isset($members['donation']) ? Donation::fromArray($members['donation']) : null,
            delivery: isset($members['delivery']) ? EventDelivery::fromArray($members['delivery']) : null,
            connection: isset($members['connection']) ? EventConnection::fromArray($members['connection']) : null,
        ));
    }
}
