<?php

declare(strict_types=1);

namespace Pinkas;

/** When a request is sent again, and for how long. */
final class RetryOptions
{
    /**
     * @param int $attemptsMax the maximum number of attempts of one call, the first included; 1 disables retries.
     *   Attempts that got `request_in_progress` do not count: the document of the other request is awaited until
     *   `totalMs`.
     * @param int $firstDelayMs the maximum delay before the second attempt; it doubles with every attempt
     * @param int $delayMaxMs the maximum delay before any attempt, without a `Retry-After` of the API
     * @param int $totalMs all attempts and delays of one call together
     * @throws \InvalidArgumentException
     */
    public function __construct(
        public readonly int $attemptsMax = 5,
        public readonly int $firstDelayMs = 500,
        public readonly int $delayMaxMs = 10_000,
        public readonly int $totalMs = 120_000,
    ) {
        if ($attemptsMax < 1 || $totalMs < 1) {
            throw new \InvalidArgumentException('attemptsMax and totalMs must be at least 1');
        }
        if ($firstDelayMs < 0 || $delayMaxMs < 0) {
            throw new \InvalidArgumentException('firstDelayMs and delayMaxMs must not be below 0');
        }
    }

    /**
     * The delay before the next attempt: random up to a bound that doubles (full jitter, so that many callers do not
     * come back together), plus the `Retry-After` of the API.
     * @param int $attempts the attempts so far
     * @param float $random from 0 to below 1
     * @internal
     */
    public function delayMs(int $attempts, float $random, ?int $retryAfterMs): int
    {
        // 50 doublings exceed every bound; more could overflow.
        $bound = min($this->delayMaxMs, $this->firstDelayMs * 2 ** min($attempts - 1, 50));
        return ($retryAfterMs ?? 0) + (int) round($random * $bound);
    }

    /**
     * A Retry-After header (RFC 9110, 10.2.3): seconds, or an HTTP date.
     * @return int|null milliseconds from now, or null when there is no valid header
     * @internal
     */
    public static function retryAfterMs(string $header, float $nowMs): ?int
    {
        $text = trim($header);
        if (preg_match('/^\d{1,12}$/', $text) === 1) {
            return (int) $text * 1000;
        }
        // An HTTP date begins with a weekday; strtotime also accepts other formats.
        $at = preg_match('/^[A-Za-z]{3,9},? /', $text) === 1 ? strtotime($text) : false;
        return $at === false ? null : (int) max(0, $at * 1000 - $nowMs);
    }
}
