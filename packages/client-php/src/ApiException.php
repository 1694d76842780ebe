<?php

declare(strict_types=1);

namespace Pinkas;

use Psr\Http\Message\ResponseInterface;

/** An error response of the API, or a response of something other than the API. */
final class ApiException extends PinkasException
{
    /** Something other than the API responded, for example a proxy. */
    public const UNEXPECTED_ANSWER = 'unexpected_answer';
    /** The statuses of a gateway or proxy that did not reach the API. */
    private const RETRYABLE_STATUSES = [502, 503, 504];

    /**
     * @param string $errorCode stable, safe to branch on: `ErrorCode` of `Shapes`, one that this version does not know,
     *   or `unexpected_answer`
     * @param string|null $hint what to do about it
     * @param bool $retryable whether the same request with the same key may be sent again. The client has done so
     *   already, within its bounds.
     * @param string|null $docUrl a page about the code
     * @param array<string, mixed> $details empty where there are none
     * @param string|null $requestId to quote in a support request
     */
    private function __construct(
        public readonly string $errorCode,
        public readonly int $status,
        string $message,
        public readonly ?string $messageHe,
        public readonly ?string $hint,
        public readonly bool $retryable,
        public readonly ?string $docUrl,
        public readonly array $details,
        public readonly ?string $requestId,
        ?string $idempotencyKey,
        int $attempts,
        bool $outcomeUnknown,
    ) {
        parent::__construct($message . self::firstField($details), $idempotencyKey, $attempts, $outcomeUnknown);
    }

    /** Whether the error has one of these codes. */
    public function is(string ...$codes): bool
    {
        return in_array($this->errorCode, $codes, true);
    }

    /**
     * The error of a response outside 2xx, or of one inside it that cannot be read.
     * @param mixed $body the parsed body, or null where it is no JSON
     * @internal
     */
    public static function of(ResponseInterface $response, mixed $body, Call $call, int $attempts, bool $unknown): self
    {
        $status = $response->getStatusCode();
        $error = is_array($body) && is_array($body['error'] ?? null) ? $body['error'] : null;
        if (intdiv($status, 100) === 2 || !is_string($error['code'] ?? null)) {
            $error = [
                'code' => self::UNEXPECTED_ANSWER,
                'message' => "HTTP $status without the JSON of the API.",
                'hint' => 'Check the base URL, and the proxies between this program and the API.',
                'retryable' => in_array($status, self::RETRYABLE_STATUSES, true),
            ];
            $body = null;
        }
        $code = $error['code'];
        $header = $response->hasHeader('X-Request-Id') ? $response->getHeaderLine('X-Request-Id') : null;
        return new self(
            $code,
            $status,
            self::text($error, 'message') ?? $code,
            self::text($error, 'message_he'),
            self::text($error, 'hint'),
            ($error['retryable'] ?? null) === true,
            self::text($error, 'doc_url'),
            is_array($error['details'] ?? null) ? $error['details'] : [],
            self::text($body ?? [], 'request_id') ?? $header,
            $call->idempotencyKey,
            $attempts,
            $unknown || ($call->changes && self::leavesOpen($code, $status)),
        );
    }

    /** Whether the outcome of the request is unknown after this error. A proxy does not know it either. */
    private static function leavesOpen(string $code, int $status): bool
    {
        if ($code === 'document_generation_failed') {
            return false;
        }
        return $status >= 500 || $code === 'request_in_progress' || $code === self::UNEXPECTED_ANSWER;
    }

    /** @param array<string, mixed> $members */
    private static function text(array $members, string $name): ?string
    {
        return is_string($members[$name] ?? null) ? $members[$name] : null;
    }

    /** The first wrong field of a `validation_error`, for a log that shows the message alone. */
    private static function firstField(array $details): string
    {
        $errors = is_array($details['errors'] ?? null) ? $details['errors'] : [];
        $first = $errors[0] ?? null;
        if (!is_array($first) || !is_string($first['path'] ?? null) || !is_string($first['message'] ?? null)) {
            return '';
        }
        $more = count($errors) > 1 ? sprintf(' (and %d more)', count($errors) - 1) : '';
        return " {$first['path']} {$first['message']}$more";
    }
}
