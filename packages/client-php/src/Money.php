<?php

declare(strict_types=1);

namespace Pinkas;

/** An amount in ILS, exact: shops keep amounts as text, and sums of floats are wrong by agorot. */
final class Money implements \JsonSerializable, \Stringable
{
    private function __construct(public readonly int $agorot)
    {
    }

    public static function ofAgorot(int $agorot): self
    {
        return new self($agorot);
    }

    /**
     * An amount as a shop has it: '118', '118.5', '-118.50'.
     * @throws \InvalidArgumentException where it is no amount, or has more than two decimals that are not 0
     */
    public static function of(string|int $amount): self
    {
        [$agorot, $rest] = self::parse((string) $amount);
        if (trim($rest, '0') !== '') {
            throw new \InvalidArgumentException("'$amount' has more than two decimals; Money::round rounds it");
        }
        return new self($agorot);
    }

    /**
     * The same for any number of decimals, half away from zero as the API rounds: '84.745763' is 84.75.
     * @throws \InvalidArgumentException where it is no amount
     */
    public static function round(string $amount): self
    {
        [$agorot, $rest] = self::parse($amount);
        $up = $rest !== '' && $rest[0] >= '5' ? 1 : 0;
        return new self($agorot + (str_starts_with($amount, '-') ? -$up : $up));
    }

    /** An amount of JSON: a number of at most two decimals. */
    public static function ofNumber(int|float $number): self
    {
        return new self((int) round($number * 100));
    }

    /**
     * A reply with its amounts as `Money`.
     * @param array<string, mixed> $reply
     * @return array<string, mixed>
     * @internal
     */
    public static function inReply(array $reply): array
    {
        array_walk_recursive($reply, static function (mixed &$value, int|string $name): void {
            if (in_array($name, Shapes::AMOUNTS, true) && (is_int($value) || is_float($value))) {
                $value = self::ofNumber($value);
            }
        });
        return $reply;
    }

    public static function sum(self ...$amounts): self
    {
        return new self(array_sum(array_map(static fn (self $one): int => $one->agorot, $amounts)));
    }

    public function plus(self $other): self
    {
        return new self($this->agorot + $other->agorot);
    }

    public function minus(self $other): self
    {
        return new self($this->agorot - $other->agorot);
    }

    public function toFloat(): float
    {
        return $this->agorot / 100;
    }

    /** For example '-118.50'. */
    public function __toString(): string
    {
        $absolute = abs($this->agorot);
        return sprintf('%s%d.%02d', $this->agorot < 0 ? '-' : '', intdiv($absolute, 100), $absolute % 100);
    }

    public function jsonSerialize(): int|float
    {
        return $this->agorot % 100 === 0 ? intdiv($this->agorot, 100) : $this->toFloat();
    }

    /** @return array{int, string} the agorot, cut off, and the digits behind them */
    private static function parse(string $amount): array
    {
        // 13 digits of shekels: what a float, and so the JSON of the API, holds to the agora.
        if (preg_match('/^(-?)(\d{1,13})(?:\.(\d+))?$/D', $amount, $parts) !== 1) {
            throw new \InvalidArgumentException("'$amount' is no amount, for example '118.50'");
        }
        $decimals = str_pad($parts[3] ?? '', 2, '0');
        $agorot = (int) ($parts[2] . substr($decimals, 0, 2));
        return [$parts[1] === '-' ? -$agorot : $agorot, substr($decimals, 2)];
    }
}
