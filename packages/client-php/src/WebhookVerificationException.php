<?php

declare(strict_types=1);

namespace Pinkas;

/** A webhook that is not genuine, or is too old. */
final class WebhookVerificationException extends \RuntimeException
{
}
