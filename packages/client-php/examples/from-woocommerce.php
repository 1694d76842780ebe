<?php

/*
 * The documents of an order of WooCommerce, as its REST API has it (GET /wp-json/wc/v3/orders/ID). The rows of
 * docs/from-woocommerce.md are these functions.
 */

declare(strict_types=1);

namespace Shop;

use Pinkas\Money;

/** Percent: `vat_rate` of the business (GET /me), 0 in Eilat. A receipt is of a business that charges none. */
const VAT_RATE = 18;

/** What was paid: the lines of the order with VAT, which come to its total to the agora. */
function documentOf(array $order, string $type = 'tax_invoice_receipt'): array
{
    $items = [];
    $discount = Money::ofAgorot(0);
    // A coupon is taken off `total` of each line. A receipt has no discount, and shows the lines as they were paid.
    $shown = $type === 'receipt' ? 'total' : 'subtotal';
    foreach ($order['line_items'] as $line) {
        $items[] = itemOf($line, gross($line, $shown));
        $discount = $discount->plus(gross($line, $shown))->minus(gross($line, 'total'));
    }
    foreach ([...$order['shipping_lines'] ?? [], ...$order['fee_lines'] ?? []] as $line) {
        $amount = gross($line, 'total');
        $amount->agorot > 0 && ($items[] = itemOf($line, $amount));
        $amount->agorot < 0 && ($discount = $discount->minus($amount));
    }
    $left = Money::of($order['total'])->minus(sumOf($items)->minus($discount));
    // A shop that rounds VAT once for the order is off by less than an agora a line.
    if (abs($left->agorot) > count($items)) {
        throw new \UnexpectedValueException("the lines of order {$order['id']} differ from its total by $left");
    }
    if ($type === 'receipt' && $discount->minus($left)->agorot > 0) {
        return partOf($order, Money::of($order['total']), 'סך הכול', $type);
    }
    return document($order, $type, $items, $discount, $left, Money::of($order['total']));
}

/** Money that was returned, all or a part, for the document of the order. Null: nothing was, as for goods put back. */
function creditNoteOf(array $order, array $refund, string $documentId): ?array
{
    $amount = Money::of((string) $refund['amount']);
    if ($amount->agorot === 0) {
        return null;
    }
    $items = [];
    $lines = [...$refund['line_items'] ?? [], ...$refund['shipping_lines'] ?? [], ...$refund['fee_lines'] ?? []];
    foreach ($lines as $line) {
        $returned = Money::ofAgorot(-gross($line, 'total')->agorot);
        $returned->agorot > 0 && ($items[] = itemOf($line, $returned));
    }
    // An amount without lines, or one that the person who returned it has changed.
    $left = $amount->minus(sumOf($items));
    $discount = Money::ofAgorot(0);
    return document($order, 'credit_note', $items, $discount, $left, $amount, $documentId);
}

/** A deposit, or at the end the rest: a document of its own for each amount that was paid. */
function partOf(array $order, Money $paid, string $name, string $type = 'tax_invoice_receipt'): array
{
    $zero = Money::ofAgorot(0);
    $items = [item("$name, הזמנה {$order['id']}", 1, $paid)];
    return document($order, $type, $items, $zero, $zero, $paid);
}

/** What `createDocument` takes, with members that are null where it has no value. */
function document(
    array $order,
    string $type,
    array $items,
    Money $discount,
    Money $left,
    Money $total,
    ?string $basedOn = null,
): array {
    refuseOtherMoney($order, $type === 'receipt' ? 0 : VAT_RATE);
    $left->agorot > 0 && ($items[] = item($items === [] ? 'החזר' : 'עיגול', 1, $left));
    $left->agorot < 0 && ($discount = $discount->minus($left));
    $billing = $order['billing'];
    $isPaid = $type !== 'credit_note' && $total->agorot > 0;
    return [
        'type' => $type,
        'customer' => ['name' => customerNameOf($order), 'email' => $billing['email'] ?: null],
        'items' => $items,
        'prices_include_vat' => true,
        'discount' => $discount->agorot > 0 ? ['type' => 'amount', 'value' => $discount] : null,
        'payments' => $isPaid ? [['method' => methodOf($order), 'amount' => $total]] : null,
        'based_on' => $basedOn,
        'expected_total' => $total,
        'external_ref' => (string) $order['id'],
    ];
}

/**
 * A document has one currency and one rate of VAT. Lines without VAT (customers abroad, fruit) come to a total of which the
 * document would declare VAT that nobody has charged.
 */
function refuseOtherMoney(array $order, int|float $rate): void
{
    if ($order['currency'] !== 'ILS') {
        throw new \UnexpectedValueException("order {$order['id']} is in {$order['currency']}, and documents are in ILS");
    }
    $total = Money::of($order['total']);
    $declared = Money::ofAgorot((int) round($total->agorot * $rate / (100 + $rate)));
    $lines = [...$order['line_items'], ...$order['shipping_lines'] ?? [], ...$order['fee_lines'] ?? []];
    // WooCommerce rounds the VAT of each line.
    if (abs($declared->minus(Money::round($order['total_tax']))->agorot) > max(1, count($lines))) {
        throw new \UnexpectedValueException(
            "the VAT of order {$order['id']} is {$order['total_tax']}, and $rate% of its total is $declared",
        );
    }
}

/** A guest may have no name. Cards of customers are found by name, so two guests never share one. */
function customerNameOf(array $order): string
{
    $billing = $order['billing'];
    $names = [$billing['company'], "{$billing['first_name']} {$billing['last_name']}", $billing['email']];
    $names = array_map(static fn (?string $name): string => shortened(plain($name ?? ''), 120), $names);
    $usable = array_filter($names, static fn (string $name): bool => preg_match_all(VISIBLE, $name) >= 2);
    return reset($usable) ?: "לקוח של הזמנה {$order['id']}";
}

/** With VAT. WooCommerce keeps both as text. */
function gross(array $line, string $amount): Money
{
    return Money::round((string) $line[$amount])->plus(Money::round((string) $line["{$amount}_tax"]));
}

/**
 * A line of what it came to. A unit price has two decimals, and 100 in three parts has none of them; a quantity, which
 * plugins for goods by weight or length make a fraction, has four.
 */
function itemOf(array $line, Money $amount): array
{
    $sku = shortened((string) ($line['sku'] ?? ''), 64);
    $sku = $sku === '' ? null : $sku;
    $name = plain((string) ($line['name'] ?? $line['method_title'] ?? ''));
    if (preg_match(VISIBLE, $name) !== 1) {
        $name = isset($line['method_title']) ? 'משלוח' : 'פריט';
    }
    $quantity = abs((float) ($line['quantity'] ?? 1)) ?: 1.0;
    // In ten-thousandths: the remainder of whole numbers is exact.
    $parts = (int) round($quantity * 10_000);
    if ($parts > 0 && (float) ($parts / 10_000) === $quantity && $amount->agorot * 10_000 % $parts === 0) {
        $price = Money::ofAgorot(intdiv($amount->agorot * 10_000, $parts));
        return item($name, $quantity, $price, $sku);
    }
    $shown = rtrim(rtrim(number_format($quantity, 4, '.', ''), '0'), '.');
    return item("$shown × $name", 1, $amount, $sku);
}

function item(string $name, int|float $quantity, Money $price, ?string $sku = null): array
{
    return ['description' => shortened($name, 200), 'quantity' => $quantity, 'unit_price' => $price, 'sku' => $sku];
}

/** What can be seen of a text. */
const VISIBLE = '/[^\p{Z}\p{C}]/u';

/** WooCommerce stores names as HTML: `Salt &amp; Pepper`. */
function plain(string $html): string
{
    $text = preg_replace('~</?[a-z][^>]*>~i', '', $html);
    return trim(html_entity_decode($text, ENT_QUOTES | ENT_HTML5, 'UTF-8'));
}

/** At most so many code points, and no part of a letter: marks and joined emoji are several. */
function shortened(string $text, int $max): string
{
    preg_match_all('/\X/u', $text, $letters);
    $cut = '';
    foreach ($letters[0] as $letter) {
        $max -= preg_match_all('/./us', $letter);
        if ($max < 0) {
            break;
        }
        $cut .= $letter;
    }
    return $cut;
}

function sumOf(array $items): Money
{
    return Money::sum(...array_map(
        static fn (array $item): Money => Money::ofAgorot((int) round($item['quantity'] * $item['unit_price']->agorot)),
        $items,
    ));
}

/** Gateways of cards also take wallets: what was used is in the title. */
function methodOf(array $order): string
{
    $id = (string) ($order['payment_method'] ?? '');
    $words = "$id " . ($order['payment_method_title'] ?? '');
    $names = static fn (string $pattern): bool => preg_match("/(?<!\p{L})(?:$pattern)(?!\p{L})/iu", $words) === 1;
    return match (true) {
        $id === 'bacs' => 'bank_transfer',
        $id === 'cheque' => 'check',
        $id === 'cod' => 'cash',
        $names('bit|ביט') => 'wallet_method_1',
        $names('paybox|פייבוקס') => 'wallet_method_2',
        $names('google[ _-]?pay') => 'wallet_method_4',
        $names('apple[ _-]?pay') => 'wallet_method_5',
        $names('paypal|ppcp-gateway|פייפאל') => 'wallet_method_3',
        default => 'credit_card',
    };
}
