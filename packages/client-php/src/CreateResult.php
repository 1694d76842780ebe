<?php

declare(strict_types=1);

namespace Pinkas;

/**
 * An issued document, and how it came about.
 * @phpstan-import-type IssuedDocument from Shapes
 */
final class CreateResult
{
    /**
     * @param IssuedDocument $document
     * @param bool $replayed whether an earlier request with the same key had issued it
     * @param string $idempotencyKey the key that was used
     */
    public function __construct(
        public readonly array $document,
        public readonly bool $replayed,
        public readonly string $idempotencyKey,
        public readonly ResponseFacts $response,
    ) {
    }
}
