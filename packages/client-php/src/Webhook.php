<?php

declare(strict_types=1);

namespace Pinkas;

use Pinkas\Model\PinkasEvent;

/** Webhooks as of https://www.standardwebhooks.com. */
final class Webhook
{
    private const TOLERANCE_S = 300;

    /**
     * Verifies a webhook and returns its event. Types that this version does not know are passed through.
     * @param string $body as it arrived: `file_get_contents('php://input')`
     * @param array<string, string|string[]> $headers `getallheaders()`, or those of a PSR-7 request
     * @param string $secret of the endpoint, `whsec_…`. While it is rotated, either of the two.
     * @throws WebhookVerificationException where the signature is another, or the webhook is older than five minutes
     */
    public static function verify(string $body, array $headers, #[\SensitiveParameter] string $secret): PinkasEvent
    {
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
        if ($key === false || $key === '') {
            throw new \InvalidArgumentException('the secret must be that of the endpoint, whsec_ and base64');
        }
        $texts = array_map(static fn ($value) => implode(' ', (array) $value), array_change_key_case($headers));
        $id = $texts['webhook-id'] ?? '';
        $timestamp = $texts['webhook-timestamp'] ?? '';
        if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > self::TOLERANCE_S) {
            throw new WebhookVerificationException('the timestamp is missing or more than five minutes off');
        }
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach (explode(' ', $texts['webhook-signature'] ?? '') as $given) {
            if (hash_equals($expected, $given)) {
                return PinkasEvent::fromArray(json_decode($body, true, flags: JSON_THROW_ON_ERROR));
            }
        }
        throw new WebhookVerificationException('no signature is of this secret');
    }
}
