<?php

/*
 * The documents of an order of WooCommerce, as its REST API has it (GET /wp-json/wc/v3/orders/ID). The rows of
 * docs/from-woocommerce.md are these functions.
 */

declare(strict_types=1);

namespace Shop;

use Pinkas\Model\{CreateDocument, CustomerInput, DiscountInput, DocumentType, ItemInput, PaymentInput, PaymentMethod};
use Pinkas\Money;

/** What was paid: the lines of the order with VAT, which come to its total to the agora. */
function documentOf(array $order, string $type = DocumentType::TAX_INVOICE_RECEIPT): CreateDocument
{
    $items = [];
    $discount = Money::ofAgorot(0);
    // A coupon is taken off `total` of each line. A receipt has no discount, and shows the lines as they were paid.
    $shown = $type === DocumentType::RECEIPT ? 'total' : 'subtotal';
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
    if ($type === DocumentType::RECEIPT && $discount->minus($left)->agorot > 0) {
        return partOf($order, Money::of($order['total']), 'סך הכול', $type);
    }
    return document($order, $type, $items, $discount, $left, Money::of($order['total']));
}

/** Money that was returned, all or a part, for the document of the order. */
function creditNoteOf(array $order, array $refund, string $documentId): CreateDocument
{
    $items = [];
    $lines = [...$refund['line_items'] ?? [], ...$refund['shipping_lines'] ?? [], ...$refund['fee_lines'] ?? []];
    foreach ($lines as $line) {
        $returned = Money::ofAgorot(-gross($line, 'total')->agorot);
        $returned->agorot > 0 && ($items[] = itemOf($line, $returned));
    }
    $amount = Money::of($refund['amount']);
    // An amount without lines, or one that the person who returned it has changed.
    $left = $amount->minus(sumOf($items));
    $discount = Money::ofAgorot(0);
    return document($order, DocumentType::CREDIT_NOTE, $items, $discount, $left, $amount, $documentId);
}

/** A deposit, or at the end the rest: a document of its own for each amount that was paid. */
function partOf(
    array $order,
    Money $paid,
    string $name,
    string $type = DocumentType::TAX_INVOICE_RECEIPT,
): CreateDocument {
    $zero = Money::ofAgorot(0);
    $items = [new ItemInput("$name, הזמנה {$order['id']}", 1, $paid)];
    return document($order, $type, $items, $zero, $zero, $paid);
}

function document(
    array $order,
    string $type,
    array $items,
    Money $discount,
    Money $left,
    Money $total,
    ?string $basedOn = null,
): CreateDocument {
    $left->agorot > 0 && ($items[] = new ItemInput($items === [] ? 'החזר' : 'עיגול', 1, $left));
    $left->agorot < 0 && ($discount = $discount->minus($left));
    $billing = $order['billing'];
    $isPaid = $type !== DocumentType::CREDIT_NOTE && $total->agorot > 0;
    return new CreateDocument(
        type: $type,
        customer: new CustomerInput(
            name: $billing['company'] ?: trim("{$billing['first_name']} {$billing['last_name']}"),
            email: $billing['email'] ?: null,
        ),
        items: $items,
        prices_include_vat: true,
        discount: $discount->agorot > 0 ? new DiscountInput('amount', $discount) : null,
        payments: $isPaid ? [new PaymentInput(methodOf($order), $total)] : null,
        based_on: $basedOn,
        expected_total: $total,
        external_ref: (string) $order['id'],
    );
}

/** With VAT. WooCommerce keeps both as text. */
function gross(array $line, string $amount): Money
{
    return Money::round($line[$amount])->plus(Money::round($line["{$amount}_tax"]));
}

/** A line of what it came to: a unit price has two decimals, and 100 in three parts has none of them. */
function itemOf(array $line, Money $amount): ItemInput
{
    $name = $line['name'] ?? $line['method_title'];
    $quantity = max(1, abs($line['quantity'] ?? 1));
    return $amount->agorot % $quantity === 0
        ? new ItemInput($name, $quantity, Money::ofAgorot(intdiv($amount->agorot, $quantity)), $line['sku'] ?? null)
        : new ItemInput("$quantity × $name", 1, $amount, $line['sku'] ?? null);
}

/** @param list<ItemInput> $items */
function sumOf(array $items): Money
{
    return Money::sum(...array_map(
        static fn (ItemInput $item): Money => Money::ofAgorot((int) $item->quantity * $item->unit_price->agorot),
        $items,
    ));
}

function methodOf(array $order): string
{
    return match ($order['payment_method'] ?? '') {
        'bacs' => PaymentMethod::BANK_TRANSFER,
        'cheque' => PaymentMethod::CHECK,
        'cod' => PaymentMethod::CASH,
        default => PaymentMethod::CREDIT_CARD,
    };
}
