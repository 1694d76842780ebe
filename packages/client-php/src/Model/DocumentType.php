<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

/** The ten types of document. */
final class DocumentType
{
    public const QUOTE = 'quote';
    public const ORDER = 'order';
    public const DELIVERY_NOTE = 'delivery_note';
    public const RETURN_NOTE = 'return_note';
    public const PROFORMA = 'proforma';
    public const TAX_INVOICE = 'tax_invoice';
    public const TAX_INVOICE_RECEIPT = 'tax_invoice_receipt';
    public const RECEIPT = 'receipt';
    public const CREDIT_NOTE = 'credit_note';
    public const DONATION_RECEIPT = 'donation_receipt';
}
