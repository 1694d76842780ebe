<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

final class IssuedDocumentWarning extends Model
{
    public function __construct(
        /**
         * Stable: safe to branch on.
         * @var 'number_not_connected'|'number_customer_tax_id_missing'|'number_business_tax_id_missing'|'customer_tax_id_missing'|'donation_not_connected'|'donation_donor_id_missing'|'source_overpaid'|'source_overcredited'|'source_invoiced_twice'|'source_of_other_customer'|'date_in_past'|'due_date_passed'|'total_is_zero'|'payments_rounded'|'phone_unusable'|'recipient_missing'|'recipient_suppressed'|'sending_not_possible'
         */
        public readonly string $code,
        /** In English, for people. */
        public readonly string $message,
        /** The same in Hebrew. */
        public readonly string $message_he,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            code: $members['code'] ?? null,
            message: $members['message'] ?? null,
            message_he: $members['message_he'] ?? null,
        ));
    }
}
