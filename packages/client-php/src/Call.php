<?php

declare(strict_types=1);

namespace Pinkas;

/**
 * One request, however often it is sent.
 * @internal
 */
final class Call
{
    /**
     * @param string $path below the base address, with the query
     * @param \Closure(array): mixed $read makes the result of the body; throws where it is of something other than the API
     * @param array<string, mixed>|null $body sent as JSON, without the members that are null
     * @param bool $changes whether it issues or cancels: what only reads has no outcome that could be unknown
     * @param int|null $totalMs all attempts and delays together; by default the total of the policy
     * @param bool $outcomeUnknown whether the outcome of an earlier request for the same purpose is unknown
     */
    public function __construct(
        public readonly string $method,
        public readonly string $path,
        public readonly \Closure $read,
        public readonly ?array $body = null,
        public readonly ?string $idempotencyKey = null,
        public readonly bool $changes = false,
        public readonly bool $withKey = true,
        public readonly ?int $totalMs = null,
        public readonly bool $outcomeUnknown = false,
    ) {
        if (preg_match('/[\x00-\x1f\x7f]/', $idempotencyKey ?? '') === 1) {
            throw new \InvalidArgumentException('idempotencyKey must not contain control characters');
        }
    }
}
