<?php

declare(strict_types=1);

namespace Pinkas;

use Psr\Http\Message\ResponseInterface;

/** What the headers of a response state, and how it came about. */
final class ResponseFacts
{
    /**
     * @param string|null $requestId to quote in a support request; null when something other than the API responded
     * @param bool $replayed whether the document was issued by an earlier request with the same key
     * @param int $attempts how often the request was sent
     * @param array{limit: int, remaining: int, resetSeconds: int}|null $rateLimit what is left of this minute's requests
     */
    public function __construct(
        public readonly int $status,
        public readonly ?string $requestId,
        public readonly bool $replayed,
        public readonly ?string $idempotencyKey,
        public readonly int $attempts,
        public readonly ?array $rateLimit,
    ) {
    }

    /** @internal */
    public static function of(ResponseInterface $response, ?string $idempotencyKey, int $attempts): self
    {
        $count = static function (string $name) use ($response): ?int {
            $text = $response->getHeaderLine($name);
            return ctype_digit($text) ? (int) $text : null;
        };
        $rateLimit = [
            'limit' => $count('RateLimit-Limit'),
            'remaining' => $count('RateLimit-Remaining'),
            'resetSeconds' => $count('RateLimit-Reset'),
        ];
        return new self(
            $response->getStatusCode(),
            $response->hasHeader('X-Request-Id') ? $response->getHeaderLine('X-Request-Id') : null,
            $response->getHeaderLine('Idempotent-Replayed') === 'true',
            $idempotencyKey,
            $attempts,
            in_array(null, $rateLimit, true) ? null : $rateLimit,
        );
    }
}
