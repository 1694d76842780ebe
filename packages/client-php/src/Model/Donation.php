<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

/**
 * Of a donation_receipt alone: the report of the donation to the tax authority (Income Tax Ordinance, section 46),
 * which a receipt of an approved institution needs from 1 January 2026 on. It never holds up issuing.
 */
final class Donation extends Model
{
    public function __construct(
        /**
         * `not_required`: the business does not report donations. `reported`: the number is there. `pending`: the
         * report goes on. `failed`: it could not be made, and a person has to correct why. `refused`: the authority
         * refused it. `cancelled`: the report was cancelled, by the owner of the business. Only `reported` gives
         * the donor a credit.
         * @var 'not_required'|'reported'|'pending'|'failed'|'refused'|'cancelled'
         */
        public readonly string $status,
        /**
         * The tax authority's number as printed. A receipt with several means of payment has one report for each,
         * and their numbers, separated by a comma and a space.
         */
        public readonly ?string $number,
        /** Why there is no number, or what has become of a cancellation, in words; else null. */
        public readonly ?string $reason,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            status: $members['status'] ?? null,
            number: $members['number'] ?? null,
            reason: $members['reason'] ?? null,
        ));
    }
}
