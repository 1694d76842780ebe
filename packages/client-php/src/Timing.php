<?php

declare(strict_types=1);

namespace Pinkas;

/** Clock and randomness; a test has others. */
class Timing
{
    /** Milliseconds since the epoch. */
    public function nowMs(): float
    {
        return microtime(true) * 1000;
    }

    /** From 0 to below 1. */
    public function random(): float
    {
        return random_int(0, 999_999) / 1_000_000;
    }

    public function wait(int $ms): void
    {
        usleep($ms * 1000);
    }
}
