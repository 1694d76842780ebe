<?php

declare(strict_types=1);

namespace Pinkas;

/** An object of the API. Its members have the names of the API. */
abstract class Model implements \JsonSerializable
{
    /** @var array<string, mixed>|null as it arrived, with the members that this version does not know */
    private ?array $received = null;

    /**
     * @param array<string, mixed> $members
     * @throws \TypeError where a member is missing or is of another type
     */
    abstract public static function fromArray(array $members): static;

    /** @return array<string, mixed> what arrived; of an object that was made here, the members that have a value */
    public function toArray(): array
    {
        if ($this->received !== null) {
            return $this->received;
        }
        $members = get_object_vars($this);
        unset($members['received']);
        // The API refuses null: what has no value is left out.
        return array_filter($members, static fn (mixed $value): bool => $value !== null);
    }

    public function jsonSerialize(): object
    {
        // An empty object and an empty list arrive as the same array.
        $models = array_filter(get_object_vars($this), static fn (mixed $value): bool => $value instanceof self);
        return (object) array_replace($this->toArray(), $models);
    }

    /**
     * @template T of self
     * @param array<string, mixed> $members
     * @param T $model
     * @return T
     */
    protected static function received(array $members, self $model): self
    {
        $model->received = $members;
        return $model;
    }
}
