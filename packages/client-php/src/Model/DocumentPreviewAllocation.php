<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

/** Whether an allocation number would be asked for. */
final class DocumentPreviewAllocation extends Model
{
    public function __construct(
        /**
         * `required`: a number will be asked for when the document is issued. The others are as in the response of
         * an issued document.
         * @var 'required'|'not_required'|'skipped_customer_tax_id_missing'|'skipped_business_tax_id_missing'
         */
        public readonly string $status,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            status: $members['status'] ?? null,
        ));
    }
}
