<?php

declare(strict_types=1);

namespace Pinkas;

use GuzzleHttp\Client as GuzzleClient;
use Pinkas\Model\CancelDocument;
use Pinkas\Model\CreatedDocument;
use Pinkas\Model\CreateDocument;
use Pinkas\Model\CustomerList;
use Pinkas\Model\CustomerQuery;
use Pinkas\Model\Document;
use Pinkas\Model\DocumentDetail;
use Pinkas\Model\DocumentPage;
use Pinkas\Model\DocumentPreview;
use Pinkas\Model\DocumentQuery;
use Pinkas\Model\DocumentTypeEntry;
use Pinkas\Model\ErrorCatalogueEntry;
use Pinkas\Model\ErrorCode;
use Pinkas\Model\EventPage;
use Pinkas\Model\EventQuery;
use Pinkas\Model\LoggedRequest;
use Pinkas\Model\IssuedDocument;
use Pinkas\Model\PinkasEvent;
use Pinkas\Model\Profile;
use Psr\Http\Client\ClientInterface;

/**
 * The HTTP API as methods, one for each operation. Each throws an `ApiException` for an error response and a
 * `ConnectionException` without a response, after the last attempt that its bounds allow.
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

    /** The business of the key, its limits and the key itself. */
    public function getMe(): Profile
    {
        return $this->get('/me', Profile::fromArray(...));
    }

    /** @return list<DocumentTypeEntry> the types of document that this business may issue */
    public function listDocumentTypes(): array
    {
        return $this->get('/document-types', self::listOf(DocumentTypeEntry::fromArray(...)));
    }

    /** @return list<ErrorCatalogueEntry> every error code of the API */
    public function listErrors(): array
    {
        return $this->get('/errors', self::listOf(ErrorCatalogueEntry::fromArray(...)), withKey: false);
    }

    /** @return array<string, mixed> the OpenAPI document */
    public function getOpenApi(): array
    {
        return $this->get('/openapi.json', static fn (array $document): array => $document, withKey: false);
    }

    /**
     * Issues a document, once: every attempt of this call has the same key.
     * @param string|null $idempotencyKey names the document: up to 128 characters, the same in every attempt, also
     *   after a restart of your program. Without one the client makes a random one, which protects the attempts of
     *   this call only.
     */
    public function createDocument(CreateDocument $body, ?string $idempotencyKey = null): CreateResult
    {
        $key = $idempotencyKey ?? self::randomKey();
        [$document, $response] = $this->transport->send(new Call(
            'POST',
            '/documents',
            IssuedDocument::fromArray(...),
            $body,
            idempotencyKey: $key,
            changes: true,
        ));
        return new CreateResult($document, $response->replayed, $key, $response);
    }

    /** What a document would be: the checks and errors of `createDocument`, and nothing is issued. */
    public function previewDocument(CreateDocument $body): DocumentPreview
    {
        $read = DocumentPreview::fromArray(...);
        return $this->transport->send(new Call('POST', '/documents/preview', $read, $body))[0];
    }

    /** One document with its lines and payments. */
    public function getDocument(string $id): DocumentDetail
    {
        return $this->get('/documents/' . rawurlencode($id), DocumentDetail::fromArray(...));
    }

    /**
     * Cancels a quote, an order, a delivery note, a return note or a proforma. If an earlier attempt of this call got
     * no response, a document that is cancelled now counts as cancelled by it.
     */
    public function cancelDocument(string $id, ?string $reason = null): Document
    {
        $path = '/documents/' . rawurlencode($id);
        $read = Document::fromArray(...);
        $body = $reason === null ? null : new CancelDocument(reason: $reason);
        try {
            return $this->transport->send(new Call('POST', "$path/cancel", $read, $body, changes: true))[0];
        } catch (ApiException $error) {
            if (!$error->is(ErrorCode::ALREADY_CANCELLED) || !$error->outcomeUnknown) {
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

    /** One page of the documents, newest first. */
    public function listDocuments(DocumentQuery $query = new DocumentQuery()): DocumentPage
    {
        return $this->documentPage($query->toArray());
    }

    /**
     * All pages of the documents, newest first, each fetched when it is needed.
     * @return \Generator<int, DocumentPage>
     */
    public function documentPages(DocumentQuery $query = new DocumentQuery()): \Generator
    {
        $page = $this->documentPage($query->toArray());
        yield $page;
        while ($page->next_cursor !== null) {
            $page = $this->documentPage(['cursor' => $page->next_cursor] + $query->toArray());
            yield $page;
        }
    }

    /**
     * All documents that match, newest first; pages are fetched as they are needed.
     * @return \Generator<int, CreatedDocument>
     */
    public function documents(DocumentQuery $query = new DocumentQuery()): \Generator
    {
        foreach ($this->documentPages($query) as $page) {
            foreach ($page->data as $document) {
                yield $document;
            }
        }
    }

    /** One page of the events, oldest first. Its `next_cursor` is where to go on, also behind the last one. */
    public function listEvents(EventQuery $query = new EventQuery()): EventPage
    {
        return $this->eventPage($query->toArray());
    }

    /** One event. */
    public function getEvent(string $id): PinkasEvent
    {
        return $this->get('/events/' . rawurlencode($id), PinkasEvent::fromArray(...));
    }

    /** A request of this key by its id, as it was answered; a refused one with its body, masked. */
    public function getRequest(string $id): LoggedRequest
    {
        return $this->get('/requests/' . rawurlencode($id), LoggedRequest::fromArray(...));
    }

    /**
     * The pages of events from a cursor on, oldest first, until there is nothing new. Store `next_cursor` when a page
     * is handled, and begin with it the next time: no event is missed, and none is seen twice.
     * @return \Generator<int, EventPage>
     */
    public function eventPages(EventQuery $query = new EventQuery()): \Generator
    {
        $page = $this->eventPage($query->toArray());
        while ($page->data !== []) {
            yield $page;
            $page = $this->eventPage(['cursor' => $page->next_cursor] + $query->toArray());
        }
    }

    /**
     * All events from a cursor on, oldest first; pages are fetched as they are needed.
     * @return \Generator<int, PinkasEvent>
     */
    public function events(EventQuery $query = new EventQuery()): \Generator
    {
        foreach ($this->eventPages($query) as $page) {
            foreach ($page->data as $event) {
                yield $event;
            }
        }
    }

    /** The customers whose name contains `q`, or whose tax id it is. */
    public function searchCustomers(CustomerQuery $query = new CustomerQuery()): CustomerList
    {
        return $this->get('/customers' . self::queryOf($query->toArray()), CustomerList::fromArray(...));
    }

    /** @param array<string, mixed> $query */
    private function documentPage(array $query): DocumentPage
    {
        return $this->get('/documents' . self::queryOf($query), DocumentPage::fromArray(...));
    }

    /** @param array<string, mixed> $query */
    private function eventPage(array $query): EventPage
    {
        return $this->get('/events' . self::queryOf($query), EventPage::fromArray(...));
    }

    private function get(string $path, \Closure $read, bool $withKey = true): mixed
    {
        return $this->transport->send(new Call('GET', $path, $read, withKey: $withKey))[0];
    }

    private static function listOf(\Closure $read): \Closure
    {
        return static fn (array $body): array => array_map($read, $body['data'] ?? null);
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
