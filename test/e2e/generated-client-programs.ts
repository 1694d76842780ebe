/*
 * Programs that call every operation with a generated client. Each gets the base address, a key and a request for a quote as
 * arguments, and prints the names of the operations that answered as a JSON list.
 */

const pythonClient = `
import json, sys, time, types
from uuid import UUID
from client import AuthenticatedClient
from client.api.business import get_me, list_document_types
from client.api.customers import search_customers
from client.api.documents import cancel_document, create_document, get_document, list_documents, preview_document
from client.api.events import get_event, list_events
from client.api.reference import get_open_api, list_errors
from client.api.requests import get_request
from client.models import CancelDocument, CreateDocument

base_url, key, text = sys.argv[1:]
client = AuthenticatedClient(base_url=base_url, token=key)
called = set()

def call(operation, *arguments, status=200, **named):
    answer = operation.sync_detailed(*arguments, client=client, **named)
    assert answer.status_code == status and answer.parsed is not None, answer
    first, *words = operation.__name__.split(".")[-1].split("_")
    called.add(first + "".join(word.capitalize() for word in words))
    return answer.parsed

call(get_open_api)
call(list_errors)
request_id = "00000000-0000-4000-8000-00000000000a"
assert call(get_me, x_request_id=request_id).limits.per_minute > 0
assert call(get_request, UUID(request_id)).route == "/me"
assert len(call(list_document_types).data) == 10
call(list_events)  # Events begin with the first call.
body = CreateDocument.from_dict(json.loads(text))
call(preview_document, body=body)
issued = call(create_document, status=201, body=body, idempotency_key="order-1")
assert call(create_document, status=201, body=body, idempotency_key="order-1").id == issued.id
assert call(get_document, issued.id).number == 1
assert [one.id for one in call(list_documents).data] == [issued.id]
assert len(call(search_customers).data) == 1
until = time.monotonic() + 60
while not (events := call(list_events).data):
    assert time.monotonic() < until
    time.sleep(1)
assert call(get_event, events[0].id).type_ == "document.issued"
assert call(cancel_document, issued.id, body=CancelDocument(reason="test")).status == "cancelled"
missing = get_document.sync_detailed(UUID(int=0), client=client)
assert missing.parsed.error.code == "not_found", missing
print(json.dumps(sorted(called)))
`;

/** Uses the module of docs/python.md. Its second key is one of a test book. */
const pythonPage = `
import json, sys
from datetime import datetime, timezone
from standardwebhooks.webhooks import Webhook, WebhookVerificationError
import pinkas
from pinkas_client.api.requests import get_request
from pinkas_client.models import CreateDocument

base_url, key, test_key, page = sys.argv[1:]
exec(page, {"base_url": base_url, "key": key})  # What the page shows of its use.

client = pinkas.connect(base_url, key)
quote = lambda price, **more: CreateDocument.from_dict({
    "type": "quote",
    "customer": {"name": "Example customer"},
    "items": [{"description": "Example", "quantity": 1, "unit_price": price, **more}],
})
def raised(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"{kind} is not raised")

# Retries.
first = pinkas.issue(client, quote(19.99), "order-1")
assert pinkas.issue(client, quote(19.99), "order-1").id == first.id
refused = raised(pinkas.Refused, lambda: pinkas.issue(client, quote(20), "order-1"))
assert refused.error.code == "idempotency_key_reused", refused
assert get_request.sync(refused.request_id, client=client).code == "idempotency_key_reused"
test = pinkas.connect(base_url, test_key)
for sku in ("test_engine_error_after_issue", "test_request_in_progress"):
    pinkas.issue(test, quote(10, sku=sku), sku)
slow = pinkas.connect(base_url, test_key, timeout=1.0)
try:
    pinkas.issue(slow, quote(10, sku="test_slow_3s"), "slow")
except pinkas.OutcomeUnknown:
    pass  # Five attempts of a second may be too few on a busy machine.
pinkas.issue(test, quote(10, sku="test_slow_3s"), "slow")
short = pinkas.connect(base_url, test_key, total_seconds=2.0)
raised(pinkas.OutcomeUnknown, lambda: pinkas.issue(short, quote(10, sku="test_engine_error"), "failed"))
failed = lambda: pinkas.issue(short, quote(10, sku="test_document_generation_failed"), "rolled-back")
assert raised(pinkas.Refused, failed).error.code == "document_generation_failed"
unreachable = pinkas.connect("http://127.0.0.1:9/v1", key, total_seconds=1.0)
raised(pinkas.OutcomeUnknown, lambda: pinkas.issue(unreachable, quote(10), "order-2"))
assert len(list(pinkas.documents(test))) == 3
assert len(list(pinkas.documents(test, type_="quote"))) == 3
assert list(pinkas.documents(test, type_="tax_invoice")) == []
wrong = raised(pinkas.Refused, lambda: pinkas.issue(client, quote(1.005), "wrong"))
assert "/items/0/unit_price must have at most 2 decimals" in str(wrong), wrong

# Cursors.
assert list(pinkas.event_pages(client)) == []  # Events begin with the first call.
prices = [pinkas.issue(client, quote(price), f"page-{price}").number for price in range(1, 6)]
listed = [one.number for one in pinkas.documents(client, limit=2) if one.type_ == "quote"]
assert listed == [*reversed(prices), first.number], listed
import time
seen, cursor, until = [], pinkas.UNSET, time.monotonic() + 60
while len(seen) < 5 and time.monotonic() < until:
    for events in pinkas.event_pages(client, cursor, limit=2):
        seen += [one.id for one in events.data]
        cursor = events.next_cursor
    time.sleep(0.5)
assert len(seen) == len(set(seen)) == 5, seen

# Money.
assert [pinkas.agorot(text) for text in ("84.745763", "1.005", "-1.005", 118.5)] == [8475, 101, -101, 11850]
assert pinkas.agorot(first.totals.total) == 2359 and pinkas.shekels(1999) == 19.99

# Webhooks.
secret, body, now = "whsec_" + "A" * 44, json.dumps({"id": "evt_1"}), datetime.now(timezone.utc)
headers = {"Webhook-Id": "evt_1", "Webhook-Timestamp": str(int(now.timestamp()))}
headers["Webhook-Signature"] = Webhook(secret).sign("evt_1", now, body)
assert pinkas.event_of(body.encode(), headers, secret)["id"] == "evt_1"
raised(WebhookVerificationError, lambda: pinkas.event_of(body.encode() + b" ", headers, secret))
print("done")
`;

const python = `
import json, sys, time
from uuid import UUID
import openapi_client
from openapi_client import ApiClient, Configuration, CancelDocument, CreateDocument
from openapi_client.exceptions import NotFoundException

base_url, key, text = sys.argv[1:]
client = ApiClient(Configuration(host=base_url, access_token=key))
business, customers = openapi_client.BusinessApi(client), openapi_client.CustomersApi(client)
documents, events = openapi_client.DocumentsApi(client), openapi_client.EventsApi(client)
reference, requests = openapi_client.ReferenceApi(client), openapi_client.RequestsApi(client)
called = set()

def call(operation, *arguments, **named):
    answer = operation(*arguments, **named)
    first, *words = operation.__name__.split("_")
    called.add(first + "".join(word.capitalize() for word in words))
    return answer

call(reference.get_open_api)
call(reference.list_errors)
request_id = "00000000-0000-4000-8000-00000000000a"
assert call(business.get_me, x_request_id=request_id).limits.per_minute > 0
assert call(requests.get_request, UUID(request_id)).route == "/me"
assert len(call(business.list_document_types).data) == 10
call(events.list_events)  # Events begin with the first call.
body = CreateDocument.from_dict(json.loads(text))
call(documents.preview_document, body)
issued = call(documents.create_document, "order-1", body)
assert call(documents.create_document, "order-1", body).id == issued.id
assert call(documents.get_document, issued.id).number == 1
assert [one.id for one in call(documents.list_documents).data] == [issued.id]
assert len(call(customers.search_customers).data) == 1
until = time.monotonic() + 60
while not (page := call(events.list_events).data):
    assert time.monotonic() < until
    time.sleep(1)
event = call(events.get_event, page[0].to_dict()["id"])
assert event.to_dict()["type"] == "document.issued"
assert call(documents.cancel_document, issued.id, cancel_document=CancelDocument(reason="test")).status == "cancelled"
try:
    documents.get_document(UUID(int=0))
    raise AssertionError("a document that does not exist")
except NotFoundException as error:
    assert error.data.error.code == "not_found"
print(json.dumps(sorted(called)))
`;

const typeScript = `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

declare const process: { argv: string[] };
const [, , baseUrl = '', key = '', text = ''] = process.argv;
const body = JSON.parse(text) as components['schemas']['CreateDocument'];
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });
const called = new Set<string>();

async function call<Data>(operation: string, answer: Promise<{ data?: Data; error?: components['schemas']['ErrorBody'] }>) {
  const { data, error } = await answer;
  if (data === undefined) throw new Error(\`\${operation}: \${error?.error.code}\`);
  called.add(operation);
  return data;
}

await call('getOpenApi', client.GET('/openapi.json'));
await call('listErrors', client.GET('/errors'));
const requestId = '00000000-0000-4000-8000-00000000000a';
const { limits } = await call('getMe', client.GET('/me', { params: { header: { 'X-Request-Id': requestId } } }));
const sent = await call('getRequest', client.GET('/requests/{request_id}', { params: { path: { request_id: requestId } } }));
if (sent.route !== '/me') throw new Error(JSON.stringify(sent));
const perMinute: number = limits.per_minute;
await call('listDocumentTypes', client.GET('/document-types'));
await call('listEvents', client.GET('/events')); // Events begin with the first call.
await call('previewDocument', client.POST('/documents/preview', { body }));
const header = { 'Idempotency-Key': 'order-1' };
const issued = await call('createDocument', client.POST('/documents', { params: { header }, body }));
const path = { id: issued.id };
const { number } = await call('getDocument', client.GET('/documents/{id}', { params: { path } }));
const list = await call('listDocuments', client.GET('/documents', { params: { query: { limit: 10 } } }));
await call('searchCustomers', client.GET('/customers'));
let event: components['schemas']['PinkasEvent'] | undefined;
for (const until = Date.now() + 60_000; event === undefined && Date.now() < until; ) {
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  event = (await call('listEvents', client.GET('/events'))).data[0];
}
if (event?.type !== 'document.issued' || event.data.document.id !== issued.id) throw new Error(JSON.stringify(event));
await call('getEvent', client.GET('/events/{event_id}', { params: { path: { event_id: event.id } } }));
const cancelled = await call('cancelDocument', client.POST('/documents/{id}/cancel', { params: { path }, body: {} }));
if (perMinute <= 0 || number !== 1 || list.data.length !== 1 || cancelled.status !== 'cancelled') throw new Error('other values');
console.log(JSON.stringify([...called].sort()));
`;

const java = `
package org.openapitools.client;

import java.util.*;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

public class CallEach {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(arguments[0]);
    client.setRequestInterceptor(builder -> builder.header("Authorization", "Bearer " + arguments[1]));
    CreateDocument body = client.getObjectMapper().readValue(arguments[2], CreateDocument.class);
    Set<String> called = new TreeSet<>();
    ReferenceApi reference = new ReferenceApi(client);
    reference.getOpenApi(null);
    called.add("getOpenApi");
    reference.listErrors(null);
    called.add("listErrors");
    BusinessApi business = new BusinessApi(client);
    String requestId = "00000000-0000-4000-8000-00000000000a";
    check(business.getMe(requestId).getLimits().getPerMinute() > 0);
    called.add("getMe");
    check(new RequestsApi(client).getRequest(UUID.fromString(requestId), null).getRoute().equals("/me"));
    called.add("getRequest");
    check(business.listDocumentTypes(null).getData().size() == 10);
    called.add("listDocumentTypes");
    EventsApi events = new EventsApi(client);
    events.listEvents(null, null, null, null, null); // Events begin with the first call.
    called.add("listEvents");
    DocumentsApi documents = new DocumentsApi(client);
    documents.previewDocument(body, null);
    called.add("previewDocument");
    UUID id = documents.createDocument("order-1", body, null).getId();
    check(documents.createDocument("order-1", body, null).getId().equals(id));
    called.add("createDocument");
    check(documents.getDocument(id, null).getNumber() == 1);
    called.add("getDocument");
    check(documents.listDocuments(null, null, null, null, null, null, null, null).getData().size() == 1);
    called.add("listDocuments");
    check(new CustomersApi(client).searchCustomers(null, null, null).getData().size() == 1);
    called.add("searchCustomers");
    List<PinkasEvent> page = List.of();
    for (long until = System.currentTimeMillis() + 60_000; page.isEmpty() && System.currentTimeMillis() < until; ) {
      Thread.sleep(1_000);
      page = events.listEvents(null, null, null, null, null).getData();
    }
    String eventId = ((DocumentIssuedEvent) page.get(0).getActualInstance()).getId();
    check(events.getEvent(eventId, null).getActualInstance() instanceof DocumentIssuedEvent);
    called.add("getEvent");
    check(documents.cancelDocument(id, null, new CancelDocument().reason("test")).getStatus() == DocumentStatus.CANCELLED);
    called.add("cancelDocument");
    System.out.println(client.getObjectMapper().writeValueAsString(called));
  }

  private static void check(boolean holds) {
    if (!holds) throw new AssertionError();
  }
}
`;

const go = String.raw`
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"sort"
	"time"

	"github.com/google/uuid"
)

var called = map[string]bool{}

// answered returns the body of an answer that has the expected one, and notes the operation.
func answered[Body any](operation string, body *Body, err error) *Body {
	if err != nil || body == nil {
		panic(fmt.Sprint(operation, ": ", err))
	}
	called[operation] = true
	return body
}

func main() {
	ctx := context.Background()
	authenticated := WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	})
	client, err := NewClientWithResponses(os.Args[1], authenticated)
	var body CreateDocument
	if err != nil || json.Unmarshal([]byte(os.Args[3]), &body) != nil {
		panic(err)
	}
	openApi, err := client.GetOpenApiWithResponse(ctx, nil)
	answered("getOpenApi", openApi.JSON200, err)
	errors, err := client.ListErrorsWithResponse(ctx, nil)
	answered("listErrors", errors.JSON200, err)
	requestId := "00000000-0000-4000-8000-00000000000a"
	me, err := client.GetMeWithResponse(ctx, &GetMeParams{XRequestId: &requestId})
	perMinute := answered("getMe", me.JSON200, err).Limits.PerMinute
	sent, err := client.GetRequestWithResponse(ctx, uuid.MustParse(requestId), nil)
	sentStatus := answered("getRequest", sent.JSON200, err).Status
	types, err := client.ListDocumentTypesWithResponse(ctx, nil)
	typeCount := len(answered("listDocumentTypes", types.JSON200, err).Data)
	events, err := client.ListEventsWithResponse(ctx, nil) // Events begin with the first call.
	answered("listEvents", events.JSON200, err)
	preview, err := client.PreviewDocumentWithResponse(ctx, nil, body)
	answered("previewDocument", preview.JSON200, err)
	key := &CreateDocumentParams{IdempotencyKey: "order-1"}
	created, err := client.CreateDocumentWithResponse(ctx, key, body)
	id := answered("createDocument", created.JSON201, err).Id
	repeated, err := client.CreateDocumentWithResponse(ctx, key, body)
	sameId := answered("createDocument", repeated.JSON201, err).Id
	document, err := client.GetDocumentWithResponse(ctx, id, nil)
	number := answered("getDocument", document.JSON200, err).Number
	documents, err := client.ListDocumentsWithResponse(ctx, nil)
	listed := len(answered("listDocuments", documents.JSON200, err).Data)
	customers, err := client.SearchCustomersWithResponse(ctx, nil)
	found := len(answered("searchCustomers", customers.JSON200, err).Data)
	for until := time.Now().Add(time.Minute); len(events.JSON200.Data) == 0 && time.Now().Before(until); {
		time.Sleep(time.Second)
		events, err = client.ListEventsWithResponse(ctx, nil)
		answered("listEvents", events.JSON200, err)
	}
	first, err := events.JSON200.Data[0].AsDocumentIssuedEvent()
	event, err := client.GetEventWithResponse(ctx, first.Id, nil)
	kind, err := answered("getEvent", event.JSON200, err).Discriminator()
	reason := "test"
	cancelled, err := client.CancelDocumentWithResponse(ctx, id, nil, CancelDocument{Reason: &reason})
	status := answered("cancelDocument", cancelled.JSON200, err).Status
	missing, err := client.GetDocumentWithResponse(ctx, uuid.Nil, nil)
	code := answered("getDocument", missing.JSON404, err).Error.Code
	values := fmt.Sprintln(perMinute > 0, sentStatus, typeCount, sameId == id, number, listed, found, kind, status, code)
	if values != "true 200 10 true 1 1 1 document.issued cancelled not_found\n" {
		panic(values)
	}
	names := []string{}
	for name := range called {
		names = append(names, name)
	}
	sort.Strings(names)
	printed, _ := json.Marshal(names)
	fmt.Println(string(printed))
}
`;

const php = String.raw`<?php
require 'GuzzleHttp/autoload.php';
spl_autoload_register(function (string $class): void {
    $file = __DIR__ . '/lib/' . strtr(substr($class, strlen('OpenAPI\\Client\\')), '\\', '/') . '.php';
    if (str_starts_with($class, 'OpenAPI\\Client\\') && is_file($file)) {
        require $file;
    }
});

use OpenAPI\Client\{ApiException, Configuration, ObjectSerializer};
use OpenAPI\Client\Api\{BusinessApi, CustomersApi, DocumentsApi, EventsApi, ReferenceApi, RequestsApi};
use OpenAPI\Client\Model\{CancelDocument, CreateDocument};

[, $baseUrl, $key, $text] = $argv;
$configuration = (new Configuration())->setHost($baseUrl)->setAccessToken($key);
[$business, $customers, $documents, $events, $reference, $requests] = array_map(
    fn (string $api) => new $api(null, $configuration),
    [BusinessApi::class, CustomersApi::class, DocumentsApi::class, EventsApi::class, ReferenceApi::class, RequestsApi::class],
);
$called = [];
function call(object $api, string $operation, mixed ...$arguments): mixed
{
    global $called;
    $answer = $api->$operation(...$arguments);
    $called[$operation] = true;
    return $answer;
}
function check(bool $holds): void
{
    $holds || throw new Exception('another value: ' . (new Exception())->getTraceAsString());
}

call($reference, 'getOpenApi');
call($reference, 'listErrors');
$requestId = '00000000-0000-4000-8000-00000000000a';
check(call($business, 'getMe', $requestId)->getLimits()->getPerMinute() > 0);
check(call($requests, 'getRequest', $requestId)->getRoute() === '/me');
check(count(call($business, 'listDocumentTypes')->getData()) === 10);
call($events, 'listEvents'); // Events begin with the first call.
$body = ObjectSerializer::deserialize(json_decode($text), CreateDocument::class);
call($documents, 'previewDocument', $body);
$id = call($documents, 'createDocument', 'order-1', $body)->getId();
check(call($documents, 'createDocument', 'order-1', $body)->getId() === $id);
check(call($documents, 'getDocument', $id)->getNumber() === 1);
check(count(call($documents, 'listDocuments')->getData()) === 1);
check(count(call($customers, 'searchCustomers')->getData()) === 1);
for ($until = time() + 60, $page = []; $page === [] && time() < $until; sleep(1)) {
    $page = call($events, 'listEvents')->getData();
}
check(call($events, 'getEvent', $page[0]->getId())->getType() === 'document.issued');
$cancelled = call($documents, 'cancelDocument', $id, null, new CancelDocument(['reason' => 'test']));
check($cancelled->getStatus() === 'cancelled');
try {
    $documents->getDocument('00000000-0000-0000-0000-000000000000');
    check(false);
} catch (ApiException $error) {
    check($error->getResponseObject()->getError()->getCode() === 'not_found');
}
ksort($called);
echo json_encode(array_keys($called)), "\n";
`;

export const programs = { pythonClient, pythonPage, python, typeScript, java, go, php };
