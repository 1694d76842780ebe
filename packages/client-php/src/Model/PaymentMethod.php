<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

/** The means of payment. */
final class PaymentMethod
{
    public const CASH = 'cash';
    public const CHECK = 'check';
    public const CREDIT_CARD = 'credit_card';
    public const BANK_TRANSFER = 'bank_transfer';
    public const WALLET_METHOD_1 = 'wallet_method_1';
    public const WALLET_METHOD_2 = 'wallet_method_2';
    public const WALLET_METHOD_3 = 'wallet_method_3';
    public const WALLET_METHOD_4 = 'wallet_method_4';
    public const WALLET_METHOD_5 = 'wallet_method_5';
}
