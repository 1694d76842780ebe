<?php

// Written by `npm run generate` from the schemas that the HTTP API validates with.

declare(strict_types=1);

namespace Pinkas\Model;

use Pinkas\Model;

final class LoggedRequestError extends Model
{
    public function __construct(
        /** Where it is, as in the answer: a JSON Pointer into the body, for example. */
        public readonly string $path,
        /** What is wrong there, in English. */
        public readonly string $message,
        /** The same in Hebrew. */
        public readonly string $message_he,
    ) {
    }

    public static function fromArray(array $members): static
    {
        return self::received($members, new self(
            path: $members['path'] ?? null,
            message: $members['message'] ?? null,
            message_he: $members['message_he'] ?? null,
        ));
    }
}
