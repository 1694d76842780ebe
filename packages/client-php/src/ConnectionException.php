<?php

declare(strict_types=1);

namespace Pinkas;

/** No response: a network failure or a timeout. */
final class ConnectionException extends PinkasException
{
    /**
     * @param 'network'|'timeout' $reason
     * @param string $cause what the HTTP client reported. Its exception is not kept: it holds the request, and so the key.
     */
    public function __construct(
        public readonly string $reason,
        public readonly string $cause,
        ?string $idempotencyKey,
        int $attempts,
        bool $outcomeUnknown,
    ) {
        $message = $reason === 'timeout' ? 'The API did not respond in time' : 'The connection to the API failed';
        parent::__construct("$message: $cause", $idempotencyKey, $attempts, $outcomeUnknown);
    }
}
