<?php

declare(strict_types=1);

namespace Pinkas;

/**
 * Webhooks as of https://www.standardwebhooks.com.
 * @phpstan-import-type PinkasEvent from Shapes
 */
final class Webhook
{
    private const TOLERANCE_S = 300;

    /**
     * Verifies a webhook and returns its event. Types that this version does not know are passed through.
     * @param string $body as it arrived: `file_get_contents('php://input')`
     * @param array<string, mixed> $headers `getallheaders()`, those of a PSR-7 request, of WordPress
     *     (`$request->get_headers()`), or `$_SERVER`
     * @param string $secret of the endpoint, `whsec_…`. While it is rotated, either of the two.
     * @return PinkasEvent
     * @throws WebhookVerificationException where the signature is another, or the webhook is older than five minutes
     */
    public static function verify(string $body, array $headers, #[\SensitiveParameter] string $secret): array
    {
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
        if ($key === false || $key === '') {
            throw new \InvalidArgumentException('the secret must be that of the endpoint, whsec_ and base64');
        }
        [$id, $timestamp, $signatures] = array_map(
            static fn (string $name): string => self::header($headers, $name),
            ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
        );
        if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > self::TOLERANCE_S) {
            throw new WebhookVerificationException(
                "webhook-timestamp is more than five minutes off the clock of this machine: '$timestamp'",
            );
        }
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach (explode(' ', $signatures) as $given) {
            if (hash_equals($expected, $given)) {
                return Money::inReply(json_decode($body, true, flags: JSON_THROW_ON_ERROR));
            }
        }
        throw new WebhookVerificationException('no signature is of this secret');
    }

    /** WordPress has `webhook_id` and `$_SERVER` `HTTP_WEBHOOK_ID`: the same name. */
    private static function header(array $headers, string $name): string
    {
        foreach ($headers as $given => $value) {
            if (preg_replace('/^http-/', '', strtr(strtolower((string) $given), '_', '-')) === $name) {
                return implode(' ', (array) $value);
            }
        }
        throw new WebhookVerificationException("the header $name is missing");
    }
}
