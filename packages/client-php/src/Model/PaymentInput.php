<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;
use Pinkas\Money;

/**
 * One payment. The fields after `date` belong to the methods that they name; on another method they are a
 * `validation_error`.
 */
final class PaymentInput extends Model
{
    public function __construct(
        /**
         * The means of payment. `wallet_method_1` to `wallet_method_5` are payment apps and digital wallets, by
         * default Bit, PayBox, PayPal, Google Pay and Apple Pay; the name that each shows on a document is a
         * setting of the business.
         */
        public readonly string $method,
        /** ILS, at most 2 decimals. */
        public readonly Money $amount,
        /** When it was paid, Asia/Jerusalem. Default: the document's date. */
        public readonly ?string $date = null,
        /** Only with `bank_transfer` and the wallet methods. */
        public readonly ?string $reference = null,
        /** Only with `check`. */
        public readonly ?string $check_number = null,
        /** When the check is due. Only with `check`. */
        public readonly ?string $check_date = null,
        /** Number of the bank. Only with `check`. */
        public readonly ?int $bank_code = null,
        /** Number of the branch. Only with `check`. */
        public readonly ?string $branch = null,
        /** Number of the account. Only with `check`. */
        public readonly ?string $account = null,
        /** The last 4 digits. Only with `credit_card`. */
        public readonly ?string $card_last_digits = null,
        /** Brand or kind of the card. Only with `credit_card`. */
        public readonly ?string $card_type = null,
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
            check_date: $members['check_date'] ?? null,
            bank_code: $members['bank_code'] ?? null,
            branch: $members['branch'] ?? null,
            account: $members['account'] ?? null,
            card_last_digits: $members['card_last_digits'] ?? null,
            card_type: $members['card_type'] ?? null,
        ));
    }
}
