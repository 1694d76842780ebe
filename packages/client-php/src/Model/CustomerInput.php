<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

/**
 * Who the document is for. One of `id` and `name` is required. The document keeps a snapshot: what the request
 * said, and from the card what it did not say. The snapshot never changes when the card does.
 */
final class CustomerInput extends Model
{
    public function __construct(
        /** An existing customer of this business, else `customer_not_found`. A `name` beside it is ignored. */
        public readonly ?string $id = null,
        /**
         * The customer card of this name is used, else a new one is opened. Names are compared in Unicode NFC,
         * without regard to letter case, to white space and line breaks around and between words, and to characters
         * that cannot be seen, such as marks of direction. What the request says of an existing customer fills the
         * empty fields of its card and overwrites none. White space around the name and characters that cannot be
         * seen do not count towards its least length.
         */
        public readonly ?string $name = null,
        /**
         * Identity, company or dealer number, 5 to 9 digits; the check digit is verified
         * (`invalid_customer_tax_id`). An allocation number needs it.
         */
        public readonly ?string $tax_id = null,
        /** What the customer is to the tax authority. */
        public readonly ?string $legal_type = null,
        /**
         * Where the document is sent when the business sends by e-mail. What is accepted can be sent to: a local
         * part without quotes of at most 64 octets, and a domain of at least two labels, which may be an
         * internationalized one (`דוגמה.example`); an IP address is none.
         */
        public readonly ?string $email = null,
        /**
         * An optional `+`, then 7 to 20 digits, hyphens or spaces. Where the document is sent when the business
         * sends by WhatsApp. An Israeli mobile number may lack its 0, and have 972 without +. Another that begins
         * with neither 0 nor +, or has fewer than seven digits, is kept, and nothing is sent to it
         * (`phone_unusable` in a preview).
         */
        public readonly ?string $phone = null,
        /** Street and house number. */
        public readonly ?string $address = null,
        public readonly ?string $city = null,
        /**
         * Send `true` only after `customer_identity_conflict`: the card of the given name is used, or opened,
         * although another card has the same tax id.
         */
        public readonly ?bool $identity_confirmed = null,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            id: $members['id'] ?? null,
            name: $members['name'] ?? null,
            tax_id: $members['tax_id'] ?? null,
            legal_type: $members['legal_type'] ?? null,
            email: $members['email'] ?? null,
            phone: $members['phone'] ?? null,
            address: $members['address'] ?? null,
            city: $members['city'] ?? null,
            identity_confirmed: $members['identity_confirmed'] ?? null,
        ));
    }
}
