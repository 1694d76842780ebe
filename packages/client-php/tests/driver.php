<?php

/*
 * Makes the calls that lines of JSON on its input describe, and prints a line for each with what became of it. The tests
 * are in test/e2e/php.
 */

declare(strict_types=1);

require 'vendor/autoload.php';
require __DIR__ . '/../examples/from-woocommerce.php';

use Pinkas\{Money, PinkasClient, RetryOptions, Timing, Webhook};

/** In no argument of a function: the trace of an exception would have it. */
final class ApiKey
{
    public static string $text = '';
}

/** Waits that pass at once, on a clock of its own. */
final class RecordedTiming extends Timing
{
    public array $waits = [];

    public function __construct(private float $nowMs)
    {
    }

    public function nowMs(): float
    {
        return $this->nowMs;
    }

    public function random(): float
    {
        return 0.5;
    }

    public function wait(int $ms): void
    {
        $this->waits[] = $ms;
        $this->nowMs += $ms;
    }
}

/** What the client sends of it. */
function withoutNull(mixed $value): mixed
{
    $hasValue = static fn (mixed $member): bool => $member !== null;
    return is_array($value) ? array_map(withoutNull(...), array_filter($value, $hasValue)) : $value;
}

function woocommerce(string $function, array $order, mixed $second = null, ?string $third = null): mixed
{
    return withoutNull(match ($function) {
        'documentOf' => Shop\documentOf($order, $second ?? 'tax_invoice_receipt'),
        'creditNoteOf' => Shop\creditNoteOf($order, $second, $third),
        'partOf' => Shop\partOf($order, Money::of($second), $third),
    });
}

/** @param list<mixed> $arguments of JSON */
function call(PinkasClient $pinkas, string $method, array $arguments, ?int $take): mixed
{
    if ($method === 'createDocument' || $method === 'previewDocument') {
        // As a program has them: amounts are `Money`.
        $arguments[0] = Money::inReply($arguments[0]);
    }
    $result = $pinkas->$method(...$arguments);
    if (!$result instanceof Generator) {
        return $result;
    }
    $items = [];
    foreach ($result as $item) {
        $items[] = $item;
        if (count($items) === $take) {
            break;
        }
    }
    return $items;
}

function answer(array $asked): mixed
{
    $options = $asked['options'] ?? [];
    $facts = [];
    $timing = isset($options['nowMs']) ? new RecordedTiming($options['nowMs']) : new Timing();
    try {
        switch ($asked['do']) {
            case 'woocommerce':
                // Each with its own arguments: the name of a function, and what it is given.
                return ['ok' => array_map(static fn (array $one) => woocommerce(...$one), $asked['arguments'])];

            case 'verify':
                return ['ok' => Webhook::verify(...$asked['arguments'])];
            case 'money':
                return ['ok' => (string) Money::{$asked['method']}(...$asked['arguments'])];
        }
        $pinkas = new PinkasClient(
            $options['baseUrl'],
            ApiKey::$text,
            timeoutMs: $options['timeoutMs'] ?? 25_000,
            retry: new RetryOptions(...$options['retry'] ?? []),
            onResponse: static function ($one) use (&$facts, $options): void {
                $facts[] = $one;
                ($options['throws'] ?? false) && throw new Exception('the log is full');
            },
            http: ($options['http'] ?? null) === 'psr18' ? new OnlyPsr18() : null,
            timing: $timing,
        );
        $answer = ['ok' => call($pinkas, $asked['method'], $asked['arguments'] ?? [], $asked['take'] ?? null)];
    } catch (Throwable $error) {
        $answer = ['error' => get_object_vars($error) + ['class' => $error::class, 'message' => $error->getMessage()]];
    }
    if ($options['dump'] ?? false) {
        // What a log may print.
        $shown = [$pinkas ?? null, $error ?? null];
        ob_start();
        var_dump($shown);
        $answer['dump'] = ob_get_clean() . print_r($shown, true) . var_export($shown, true) . ($error ?? '');
    }
    return $answer + ['waits' => $timing instanceof RecordedTiming ? $timing->waits : [], 'facts' => $facts];
}

/** A client of PSR-18 that is not Guzzle's. */
final class OnlyPsr18 implements Psr\Http\Client\ClientInterface
{
    public function sendRequest(Psr\Http\Message\RequestInterface $request): Psr\Http\Message\ResponseInterface
    {
        return (new GuzzleHttp\Client())->sendRequest($request);
    }
}

while (($line = fgets(STDIN)) !== false) {
    $asked = json_decode($line, true);
    ApiKey::$text = $asked['options']['apiKey'] ?? '';
    unset($asked['options']['apiKey']);
    echo json_encode(answer($asked), JSON_THROW_ON_ERROR), "\n";
}
