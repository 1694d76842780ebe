<?php

/*
 * A shop of one screen: an order that was paid gets its document, a refund its credit note, and webhooks are received.
 *
 *   PINKAS_BASE_URL=… PINKAS_KEY=pk_test_… PINKAS_WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:3000 shop.php
 *
 *   POST /orders/1042/paid       the order, as WooCommerce has it
 *   POST /orders/1042/refunded   the refund, as WooCommerce has it
 *   POST /webhooks               the address of an endpoint
 */

declare(strict_types=1);

require 'vendor/autoload.php';
require __DIR__ . '/from-woocommerce.php';

use Pinkas\{ApiException, PinkasClient, PinkasException, RetryOptions, Webhook, WebhookVerificationException};

// A page does not wait for two minutes: what was not issued by then is issued when the request is repeated.
$pinkas = new PinkasClient(
    getenv('PINKAS_BASE_URL'),
    getenv('PINKAS_KEY'),
    timeoutMs: 15_000,
    retry: new RetryOptions(totalMs: 25_000),
);
/** Files, where a shop has a database. */
$folder = getenv('SHOP_FOLDER') ?: sys_get_temp_dir();

$respond = static function (int $status, mixed $body = null): void {
    http_response_code($status);
    echo $body === null ? '' : json_encode($body, JSON_UNESCAPED_UNICODE);
};
$body = file_get_contents('php://input');
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);

if ($path === '/webhooks') {
    try {
        $event = Webhook::verify($body, getallheaders(), getenv('PINKAS_WEBHOOK_SECRET'));
    } catch (WebhookVerificationException) {
        return $respond(401);
    }
    // 'x' fails where the file exists: an event that comes twice is handled once.
    $file = @fopen("$folder/{$event['id']}", 'x');
    $file && fwrite($file, $event['type'] . ' ' . ($event['data']['document']['number'] ?? '') . "\n");
    return $respond(204);
}
if (preg_match('#^/orders/(\d+)/(paid|refunded)$#', $path, $matches) !== 1) {
    return $respond(404);
}
[, $id, $what] = $matches;
try {
    if ($what === 'paid') {
        file_put_contents("$folder/order-$id.json", $body, LOCK_EX);
    } elseif (!is_file("$folder/order-$id.json")) {
        return $respond(404);
    }
    $order = json_decode(file_get_contents("$folder/order-$id.json"), true, flags: JSON_THROW_ON_ERROR);
    // The key is of the order: a repeated request, from wherever, returns the document that exists.
    $result = $pinkas->createDocument(Shop\documentOf($order), "shop-$id");
    if ($what === 'refunded') {
        $refund = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
        $note = Shop\creditNoteOf($order, $refund, $result->document['id']);
        if ($note === null) {
            return $respond(204);
        }
        $result = $pinkas->createDocument($note, "shop-$id-refund-{$refund['id']}");
    }
    return $respond(200, ['document' => $result->document, 'attempts' => $result->response->attempts]);
} catch (PinkasException $error) {
    error_log($error->getMessage());
    // 503: the same request later. 422: nothing was issued, and a person has to correct it.
    $isRefused = $error instanceof ApiException && !$error->retryable && !$error->outcomeUnknown;
    return $respond($isRefused ? 422 : 503, ['error' => $error->getMessage()]);
} catch (JsonException | InvalidArgumentException | UnexpectedValueException $error) {
    // An order whose amounts do not fit together.
    return $respond(422, ['error' => $error->getMessage()]);
}
