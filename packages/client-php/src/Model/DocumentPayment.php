<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;
use Pinkas\Money;

final class DocumentPayment extends Model
{
    public function __construct(
        public readonly string $method,
        /** ILS. */
        public readonly Money $amount,
        public readonly string $date,
        public readonly ?string $reference,
        public readonly ?string $check_number,
        public readonly ?int $bank_code,
        public readonly ?string $card_last_digits,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            method: $members['method'] ?? null,
            amount: Money::ofNumber($members['amount'] ?? null),
            date: $members['date'] ?? null,
            reference: $members['reference'] ?? null,
            check_number: $members['check_number'] ?? null,
            bank_code: $members['bank_code'] ?? null,
            card_last_digits: $members['card_last_digits'] ?? null,
        ));
    }
}
