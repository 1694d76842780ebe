<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

/** A request of this key, as it was answered. */
final class LoggedRequest extends Model
{
    public function __construct(
        /** Its `X-Request-Id`. */
        public readonly string $request_id,
        /** When it arrived, in UTC. */
        public readonly string $timestamp,
        public readonly string $method,
        /** The route below the base address, such as `/documents/:id`; null: there is none of that path. */
        public readonly ?string $route,
        /** The HTTP status of the answer. */
        public readonly int $status,
        /** The code of the error; null: there was none. */
        public readonly ?string $code,
        /**
         * Its `Idempotency-Key`, where the route takes one; masked as texts of a body are, with a mark that tells
         * it from others.
         */
        public readonly ?string $idempotency_key,
        /** `true`: the answer had `Idempotent-Replayed`. */
        public readonly bool $replayed,
        /** The document that was issued, or returned again. */
        public readonly ?string $document_id,
        /** Milliseconds until the answer was ready. */
        public readonly int $duration_ms,
        /**
         * What was wrong where, of a `validation_error`: the first 20.
         * @var list<LoggedRequestError>
         */
        public readonly array $errors,
        /** `true`: `body` lacks parts of what was sent. */
        public readonly bool $body_truncated,
        /** The other members of `error.details` of a request that was refused. Absent: there were none. */
        public readonly ?LoggedRequestDetails $details = null,
        /**
         * Of a request that was refused (4xx): its JSON body, as far as it is kept. Texts and numbers that may be
         * personal are `***`, and what looks like a key, a secret or a token was never stored. Absent: there was
         * none, or it was not JSON.
         */
        public readonly ?array $body = null,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            request_id: $members['request_id'] ?? null,
            timestamp: $members['timestamp'] ?? null,
            method: $members['method'] ?? null,
            route: $members['route'] ?? null,
            status: $members['status'] ?? null,
            code: $members['code'] ?? null,
            idempotency_key: $members['idempotency_key'] ?? null,
            replayed: $members['replayed'] ?? null,
            document_id: $members['document_id'] ?? null,
            duration_ms: $members['duration_ms'] ?? null,
            errors: array_map(LoggedRequestError::fromArray(...), $members['errors'] ?? null),
            body_truncated: $members['body_truncated'] ?? null,
            details: isset($members['details']) ? LoggedRequestDetails::fromArray($members['details']) : null,
            body: $members['body'] ?? null,
        ));
    }
}
