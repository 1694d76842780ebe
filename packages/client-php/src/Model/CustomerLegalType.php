<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

/** What a customer is to the tax authority. */
final class CustomerLegalType
{
    public const HEVRA_BAAM = 'hevra_baam';
    public const OSEK_MURSHE = 'osek_murshe';
    public const OSEK_PATUR = 'osek_patur';
    public const AMUTA = 'amuta';
    public const PRIVATE = 'private';
}
