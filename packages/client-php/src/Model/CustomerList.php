<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

final class CustomerList extends Model
{
    public function __construct(
        /** @var list<Customer> */
        public readonly array $data,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            data: array_map(Customer::fromArray(...), $members['data'] ?? null),
        ));
    }
}
