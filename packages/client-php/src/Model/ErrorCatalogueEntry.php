<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

final class ErrorCatalogueEntry extends Model
{
    public function __construct(
        public readonly string $code,
        public readonly int $http_status,
        /** Whether the same request with the same Idempotency-Key may be sent again. */
        public readonly bool $retryable,
        /** In English. */
        public readonly string $message,
        /** In Hebrew. */
        public readonly string $message_he,
        /** What to do about it. */
        public readonly ?string $hint,
        /** A page about this code. */
        public readonly string $doc_url,
        /**
         * The members of `error.details` that the code carries.
         * @var list<string>
         */
        public readonly array $details,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            code: $members['code'] ?? null,
            http_status: $members['http_status'] ?? null,
            retryable: $members['retryable'] ?? null,
            message: $members['message'] ?? null,
            message_he: $members['message_he'] ?? null,
            hint: $members['hint'] ?? null,
            doc_url: $members['doc_url'] ?? null,
            details: $members['details'] ?? null,
        ));
    }
}
