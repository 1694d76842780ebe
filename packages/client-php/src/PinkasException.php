<?php

declare(strict_types=1);

namespace Pinkas;

/** A call that did not get what it was for. */
abstract class PinkasException extends \RuntimeException
{
    /**
     * @param string|null $idempotencyKey the key of the document that was to be issued; null on other operations
     * @param int $attempts how often the request was sent
     * @param bool $outcomeUnknown false: this call issued and cancelled nothing. True: it may have; the same call
     *   with the same key returns the outcome, and issues at most once.
     */
    public function __construct(
        string $message,
        public readonly ?string $idempotencyKey,
        public readonly int $attempts,
        public readonly bool $outcomeUnknown,
    ) {
        parent::__construct($message);
    }
}
