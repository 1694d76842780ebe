<?php

declare(strict_types=1);

namespace Pinkas;

use GuzzleHttp\ClientInterface as GuzzleClientInterface;
use GuzzleHttp\Exception\ConnectException;
use GuzzleHttp\Exception\RequestException;
use GuzzleHttp\Psr7\Request;
use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\ResponseInterface;

/**
 * Sends requests over HTTP, again where that is right.
 * @internal
 */
final class Transport
{
    /** The least time for an attempt: with less it would end before a response, and leave the outcome unknown. */
    private const ATTEMPT_MIN_MS = 1000;
    /** The shortest wait for another request with the same key, whatever waits the policy has. */
    private const IN_PROGRESS_DELAY_MS = 1000;
    /** Of libcurl. */
    private const CURLE_OPERATION_TIMEDOUT = 28;

    private readonly string $baseUrl;
    /** In a closure no export of the object shows it. */
    private readonly \Closure $authorization;

    /** @param \Closure(ResponseFacts): void|null $onResponse */
    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter] string $apiKey,
        private readonly ClientInterface $http,
        private readonly int $timeoutMs,
        private readonly RetryOptions $policy,
        private readonly ?\Closure $onResponse,
        private readonly Timing $timing,
    ) {
        if (!in_array(parse_url($baseUrl, PHP_URL_SCHEME), ['http', 'https'], true)) {
            throw new \InvalidArgumentException('baseUrl must be an address, for example https://api.example.com/v1');
        }
        if ($apiKey === '') {
            throw new \InvalidArgumentException('apiKey is empty');
        }
        // A header that cannot be sent would be quoted in the error of the HTTP client.
        if (preg_match('/^[\x21-\x7e]+$/D', $apiKey) !== 1) {
            throw new \InvalidArgumentException('apiKey must be a text of visible ASCII characters');
        }
        if ($timeoutMs < 1) {
            throw new \InvalidArgumentException('timeoutMs must be at least 1');
        }
        $this->baseUrl = rtrim($baseUrl, '/');
        $this->authorization = static fn (): string => "Bearer $apiKey";
    }

    /** The key appears in no dump. */
    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->baseUrl];
    }

    /**
     * Sends a request until it has an answer, is refused for good, or a bound is met.
     * @return array{mixed, ResponseFacts} what `read` makes of the body
     * @throws PinkasException
     */
    public function send(Call $call): array
    {
        $untilMs = $this->timing->nowMs() + ($call->totalMs ?? $this->policy->totalMs);
        $lastStartMs = $untilMs - min(self::ATTEMPT_MIN_MS, $this->timeoutMs);
        $outcomeUnknown = $call->outcomeUnknown;
        $counted = 0;
        for ($attempts = 1; ; $attempts++) {
            $timeoutMs = min($this->timeoutMs, max(1, $untilMs - $this->timing->nowMs()));
            $requestedDelayMs = null;
            try {
                return $this->attempt($call, $timeoutMs, $attempts, $outcomeUnknown, $requestedDelayMs);
            } catch (PinkasException $error) {
                $outcomeUnknown = $error->outcomeUnknown;
            }
            $inProgress = $error instanceof ApiException && $error->is('request_in_progress');
            $counted += $inProgress ? 0 : 1;
            if (!$this->mayRetry($error, $counted)) {
                throw $error;
            }
            $leastMs = $inProgress ? max($requestedDelayMs ?? 0, self::IN_PROGRESS_DELAY_MS) : $requestedDelayMs;
            if (!$this->pause($this->policy->delayMs($attempts, $this->timing->random(), $leastMs), $lastStartMs)) {
                throw $error;
            }
        }
    }

    /** @param int $counted the attempts so far that met no other request with the same key */
    private function mayRetry(PinkasException $error, int $counted): bool
    {
        if ($this->policy->attemptsMax === 1 || $counted >= $this->policy->attemptsMax) {
            return false;
        }
        return $error instanceof ApiException ? $error->retryable : true;
    }

    /** Waits unless the pause would end, or has ended, after `untilMs`: a machine that slept may have waited longer. */
    private function pause(int $pauseMs, float $untilMs): bool
    {
        if ($this->timing->nowMs() + $pauseMs > $untilMs) {
            return false;
        }
        $this->timing->wait($pauseMs);
        return $this->timing->nowMs() <= $untilMs;
    }

    /** It takes no request: the trace of an exception has the arguments, and a request has the key. */
    private function attempt(
        Call $call,
        float $timeoutMs,
        int $attempts,
        bool $outcomeUnknown,
        ?int &$requestedDelayMs,
    ): array {
        $request = $this->request($call);
        try {
            $response = $this->exchange($request, $timeoutMs / 1000);
            $text = (string) $response->getBody();
        } catch (ClientExceptionInterface | \RuntimeException $failure) {
            throw new ConnectionException(
                self::isTimeout($failure) ? 'timeout' : 'network',
                $failure->getMessage(),
                $call->idempotencyKey,
                $attempts,
                $outcomeUnknown || $call->changes,
            );
        }
        $facts = ResponseFacts::of($response, $call->idempotencyKey, $attempts);
        $this->report($facts);
        $requestedDelayMs = RetryOptions::retryAfterMs(
            $response->getHeaderLine('Retry-After'),
            $this->timing->nowMs(),
        );
        $body = json_decode($text, true);
        if (intdiv($response->getStatusCode(), 100) === 2 && is_array($body)) {
            try {
                return [($call->read)($body), $facts];
            } catch (\UnexpectedValueException) {
                // JSON of something other than the API.
            }
        }
        throw ApiException::of($response, $body, $call, $attempts, $outcomeUnknown);
    }

    private function exchange(Request $request, float $timeoutS): ResponseInterface
    {
        if (!$this->http instanceof GuzzleClientInterface) {
            // PSR-18 has no time limit of a request: the client's own holds.
            return $this->http->sendRequest($request);
        }
        return $this->http->send($request, [
            'timeout' => $timeoutS,
            'connect_timeout' => $timeoutS,
            'http_errors' => false,
            // A redirected POST would arrive as a GET, or with its key at another host.
            'allow_redirects' => false,
        ]);
    }

    private static function isTimeout(\Throwable $failure): bool
    {
        $hasContext = $failure instanceof ConnectException || $failure instanceof RequestException;
        $context = $hasContext ? $failure->getHandlerContext() : [];
        return ($context['errno'] ?? null) === self::CURLE_OPERATION_TIMEDOUT;
    }

    /** Calls `onResponse`; its failure must not lose the response. */
    private function report(ResponseFacts $facts): void
    {
        try {
            if ($this->onResponse !== null) {
                ($this->onResponse)($facts);
            }
        } catch (\Throwable) {
            // Dropped, as the option says.
        }
    }

    private function request(Call $call): Request
    {
        $headers = ['Accept' => 'application/json'];
        if ($call->withKey) {
            $headers['Authorization'] = ($this->authorization)();
        }
        if ($call->body !== null) {
            $headers['Content-Type'] = 'application/json';
        }
        if ($call->idempotencyKey !== null) {
            $headers['Idempotency-Key'] = $call->idempotencyKey;
        }
        $body = $call->body === null ? null : self::json($call->body);
        return new Request($call->method, $this->baseUrl . $call->path, $headers, $body);
    }

    /** Numbers are written here: `json_encode` gives 19.99 the 17 digits of an old php.ini, and a host may forbid `ini_set`. */
    private static function json(mixed $value): string
    {
        if ($value instanceof \JsonSerializable) {
            $value = $value->jsonSerialize();
        }
        if (is_float($value) && is_finite($value)) {
            // The shortest that is the same number. `H` knows no locale.
            for ($digits = 15; (float) ($text = sprintf("%.{$digits}H", $value)) !== $value; $digits++);
            return $text;
        }
        if (is_array($value) && array_is_list($value)) {
            return '[' . implode(',', array_map(self::json(...), $value)) . ']';
        }
        if (is_array($value) || is_object($value)) {
            $members = [];
            foreach ((array) $value as $name => $member) {
                // The API refuses null: what has no value is left out.
                $member !== null && ($members[] = self::json((string) $name) . ':' . self::json($member));
            }
            return '{' . implode(',', $members) . '}';
        }
        return json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
    }
}
