<?php

declare(strict_types=1);

namespace Pinkas;

use GuzzleHttp\Client as GuzzleClient;
use Psr\Http\Client\ClientInterface;

/**
 * The HTTP API as methods, one for each operation. Each throws an `ApiException` for an error response and a
 * `ConnectionException` without a response, after the last attempt that its bounds allow. Objects are arrays, their amounts
 * `Money`.
 *
 * @phpstan-import-type CreateDocument from Shapes
 * @phpstan-import-type CreatedDocument from Shapes
 * @phpstan-import-type CustomerList from Shapes
 * @phpstan-import-type CustomerQuery from Shapes
 * @phpstan-import-type Document from Shapes
 * @phpstan-import-type DocumentDetail from Shapes
 * @phpstan-import-type DocumentPage from Shapes
 * @phpstan-import-type DocumentPreview from Shapes
 * @phpstan-import-type DocumentQuery from Shapes
 * @phpstan-import-type DocumentTypeEntry from Shapes
 * @phpstan-import-type ErrorCatalogueEntry from Shapes
 * @phpstan-import-type EventPage from Shapes
 * @phpstan-import-type EventQuery from Shapes
 * @phpstan-import-type IssuedDocument from Shapes
 * @phpstan-import-type LoggedRequest from Shapes
 * @phpstan-import-type PinkasEvent from Shapes
 * @phpstan-import-type Profile from Shapes
 */
final class PinkasClient
{
    /** The time to look at a document that is cancelled already: the attempts to cancel it may have used up theirs. */
    private const LOOK_MAX_MS = 5000;

    private readonly Transport $transport;

    /**
     * @param string $baseUrl with its version, for example `https://api.example.com/v1`
     * @param string $apiKey it is sent in a header; no exception and no dump contains it
     * @param int $timeoutMs the time limit of one attempt. The API responds to a creation or a cancellation within
     *   15 s, to anything else within 5 s. With an HTTP client other than Guzzle, the limit is its own.
     * @param callable(ResponseFacts): void|null $onResponse called with every response, errors included, for metrics
     *   and logs. What it throws is ignored: it must not lose the caller an issued document.
     * @param ClientInterface|null $http any client of PSR-18; by default one of Guzzle
     * @throws \InvalidArgumentException where an argument makes no sense
     */
    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter] string $apiKey,
        int $timeoutMs = 25_000,
        RetryOptions $retry = new RetryOptions(),
        ?callable $onResponse = null,
        ?ClientInterface $http = null,
        Timing $timing = new Timing(),
    ) {
        $report = $onResponse === null ? null : $onResponse(...);
        $http ??= new GuzzleClient();
        $this->transport = new Transport($baseUrl, $apiKey, $http, $timeoutMs, $retry, $report, $timing);
    }

    /** @return Profile the business of the key, its limits and the key itself */
    public function getMe(): array
    {
        return $this->get('/me', self::reply('business'));
    }

    /** @return list<DocumentTypeEntry> the types of document that this business may issue */
    public function listDocumentTypes(): array
    {
        return $this->get('/document-types', self::reply('data'))['data'];
    }

    /** @return list<ErrorCatalogueEntry> every error code of the API */
    public function listErrors(): array
    {
        return $this->get('/errors', self::reply('data'), withKey: false)['data'];
    }

    /** @return array<string, mixed> the OpenAPI document */
    public function getOpenApi(): array
    {
        return $this->get('/openapi.json', self::asSent(...), withKey: false);
    }

    /**
     * Issues a document, once: every attempt of this call has the same key.
     * @param CreateDocument $body
     * @param string|null $idempotencyKey names the document: up to 128 characters, the same in every attempt, also
     *   after a restart of your program. Without one the client makes a random one, which protects the attempts of
     *   this call only.
     */
    public function createDocument(array $body, ?string $idempotencyKey = null): CreateResult
    {
        $key = $idempotencyKey ?? self::randomKey();
        [$document, $response] = $this->transport->send(new Call(
            'POST',
            '/documents',
            self::reply('id'),
            $body,
            idempotencyKey: $key,
            changes: true,
        ));
        return new CreateResult($document, $response->replayed, $key, $response);
    }

    /**
     * What a document would be: the checks and errors of `createDocument`, and nothing is issued.
     * @param CreateDocument $body
     * @return DocumentPreview
     */
    public function previewDocument(array $body): array
    {
        $read = self::reply('totals');
        return $this->transport->send(new Call('POST', '/documents/preview', $read, $body))[0];
    }

    /** @return DocumentDetail one document with its lines and payments */
    public function getDocument(string $id): array
    {
        return $this->get('/documents/' . rawurlencode($id), self::reply('id'));
    }

    /**
     * Cancels a quote, an order, a delivery note, a return note or a proforma. If an earlier attempt of this call got
     * no response, a document that is cancelled now counts as cancelled by it.
     * @return Document
     */
    public function cancelDocument(string $id, ?string $reason = null): array
    {
        $path = '/documents/' . rawurlencode($id);
        $read = self::reply('id');
        $body = $reason === null ? null : ['reason' => $reason];
        try {
            return $this->transport->send(new Call('POST', "$path/cancel", $read, $body, changes: true))[0];
        } catch (ApiException $error) {
            if (!$error->is('already_cancelled') || !$error->outcomeUnknown) {
                throw $error;
            }
        }
        try {
            $look = new Call('GET', $path, $read, totalMs: self::LOOK_MAX_MS, outcomeUnknown: true);
            return $this->transport->send($look)[0];
        } catch (PinkasException) {
            // A key may write and not read; then what is known is that the document is cancelled.
            throw $error;
        }
    }

    /**
     * One page of the documents, newest first.
     * @param DocumentQuery $query
     * @return DocumentPage
     */
    public function listDocuments(array $query = []): array
    {
        return $this->get('/documents' . self::queryOf($query), self::reply('data'));
    }

    /**
     * All pages of the documents, newest first, each fetched when it is needed.
     * @param DocumentQuery $query
     * @return \Generator<int, DocumentPage>
     */
    public function documentPages(array $query = []): \Generator
    {
        $page = $this->listDocuments($query);
        yield $page;
        while (isset($page['next_cursor'])) {
            $page = $this->listDocuments(['cursor' => $page['next_cursor']] + $query);
            yield $page;
        }
    }

    /**
     * All documents that match, newest first; pages are fetched as they are needed.
     * @param DocumentQuery $query
     * @return \Generator<int, CreatedDocument>
     */
    public function documents(array $query = []): \Generator
    {
        foreach ($this->documentPages($query) as $page) {
            foreach ($page['data'] as $document) {
                yield $document;
            }
        }
    }

    /**
     * One page of the events, oldest first. Its `next_cursor` is where to go on, also behind the last one.
     * @param EventQuery $query
     * @return EventPage
     */
    public function listEvents(array $query = []): array
    {
        return $this->get('/events' . self::queryOf($query), self::reply('data'));
    }

    /** @return PinkasEvent one event */
    public function getEvent(string $id): array
    {
        return $this->get('/events/' . rawurlencode($id), self::reply('id'));
    }

    /** @return LoggedRequest a request of this key by its id, as it was answered; a refused one with its body, masked */
    public function getRequest(string $id): array
    {
        return $this->get('/requests/' . rawurlencode($id), self::asSent(...));
    }

    /**
     * The pages of events from a cursor on, oldest first, until there is nothing new. Store `next_cursor` when a page
     * is handled, and begin with it the next time: no event is missed, and none is seen twice.
     * @param EventQuery $query
     * @return \Generator<int, EventPage>
     */
    public function eventPages(array $query = []): \Generator
    {
        $page = $this->listEvents($query);
        while ($page['data'] !== []) {
            yield $page;
            $page = $this->listEvents(['cursor' => $page['next_cursor']] + $query);
        }
    }

    /**
     * All events from a cursor on, oldest first; pages are fetched as they are needed.
     * @param EventQuery $query
     * @return \Generator<int, PinkasEvent>
     */
    public function events(array $query = []): \Generator
    {
        foreach ($this->eventPages($query) as $page) {
            foreach ($page['data'] as $event) {
                yield $event;
            }
        }
    }

    /**
     * The customers whose name contains `q`, or whose tax id it is.
     * @param CustomerQuery $query
     * @return CustomerList
     */
    public function searchCustomers(array $query = []): array
    {
        return $this->get('/customers' . self::queryOf($query), self::reply('data'));
    }

    private function get(string $path, \Closure $read, bool $withKey = true): mixed
    {
        return $this->transport->send(new Call('GET', $path, $read, withKey: $withKey))[0];
    }

    /** Reads the JSON of the API by a member that it has. */
    private static function reply(string $member): \Closure
    {
        return static fn (array $body): array => isset($body[$member])
            ? Money::inReply($body)
            : throw new \UnexpectedValueException("the reply has no $member");
    }

    /** Numbers in it are those of somebody else. */
    private static function asSent(array $body): array
    {
        return $body;
    }

    /** @param array<string, mixed> $query */
    private static function queryOf(array $query): string
    {
        $parameters = [];
        foreach ($query as $name => $value) {
            // A list is a parameter that is repeated.
            foreach ((array) $value as $one) {
                $text = is_bool($one) ? var_export($one, true) : (string) $one;
                $parameters[] = $name . '=' . rawurlencode($text);
            }
        }
        return $parameters === [] ? '' : '?' . implode('&', $parameters);
    }

    private static function randomKey(): string
    {
        return implode('-', str_split(bin2hex(random_bytes(16)), 8));
    }
}
