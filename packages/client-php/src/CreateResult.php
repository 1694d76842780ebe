<?php

declare(strict_types=1);

namespace Pinkas;

use Pinkas\Model\IssuedDocument;

/** An issued document, and how it came about. */
final class CreateResult
{
    /**
     * @param bool $replayed whether an earlier request with the same key had issued it
     * @param string $idempotencyKey the key that was used
     */
    public function __construct(
        public readonly IssuedDocument $document,
        public readonly bool $replayed,
        public readonly string $idempotencyKey,
        public readonly ResponseFacts $response,
    ) {
    }
}
