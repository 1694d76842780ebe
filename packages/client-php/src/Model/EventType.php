<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

/** The types of event. */
final class EventType
{
    public const DOCUMENT_ISSUED = 'document.issued';
    public const DOCUMENT_CANCELLED = 'document.cancelled';
    public const DOCUMENT_CLOSED = 'document.closed';
    public const ALLOCATION_ISSUED = 'allocation.issued';
    public const ALLOCATION_REFUSED = 'allocation.refused';
    public const ALLOCATION_FAILED = 'allocation.failed';
    public const DONATION_REPORTED = 'donation.reported';
    public const DONATION_REFUSED = 'donation.refused';
    public const DONATION_FAILED = 'donation.failed';
    public const DELIVERY_SENT = 'delivery.sent';
    public const DELIVERY_FAILED = 'delivery.failed';
    public const REMINDER_SENT = 'reminder.sent';
    public const REMINDER_FAILED = 'reminder.failed';
    public const AUTHORITY_EXPIRING = 'authority.expiring';
    public const AUTHORITY_DISCONNECTED = 'authority.disconnected';
    public const ENDPOINT_TEST = 'endpoint.test';
}
