/*
 * Programs that issue, list and read an error with clients of other generators. Arguments: base URL, key, document as JSON. Output:
 * the number of the document, how many are listed, and the code of the error, as JSON.
 */

const ogen = `
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"generated/api"

	"github.com/google/uuid"
	"github.com/ogen-go/ogen/ogenerrors"
)

type key string

func (k key) ApiKey(context.Context, api.OperationName) (api.ApiKey, error) {
	return api.ApiKey{}, ogenerrors.ErrSkipClientSecurity
}

func (k key) Bearer(context.Context, api.OperationName) (api.Bearer, error) {
	return api.Bearer{Token: string(k)}, nil
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	ctx := context.Background()
	client := must(api.NewClient(os.Args[1], key(os.Args[2])))
	var body api.CreateDocument
	if err := json.Unmarshal([]byte(os.Args[3]), &body); err != nil {
		panic(err)
	}
	created := must(client.CreateDocument(ctx, &body, api.CreateDocumentParams{IdempotencyKey: "order-1"}))
	listed := must(client.ListDocuments(ctx, api.ListDocumentsParams{}))
	missing := must(client.GetDocument(ctx, api.GetDocumentParams{ID: uuid.Nil}))
	printed := must(json.Marshal([]any{
		created.(*api.IssuedDocumentHeaders).Response.Number,
		len(listed.(*api.DocumentPageHeaders).Response.Data),
		missing.(*api.GetDocumentNotFound).Response.Error.Code,
	}))
	fmt.Println(string(printed))
}
`;

const openapiGeneratorGo = `
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	openapi "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	configuration := openapi.NewConfiguration()
	configuration.Servers = openapi.ServerConfigurations{{URL: os.Args[1]}}
	documents := openapi.NewAPIClient(configuration).DocumentsAPI
	ctx := context.WithValue(context.Background(), openapi.ContextAccessToken, os.Args[2])
	var body openapi.CreateDocument
	must(json.Unmarshal([]byte(os.Args[3]), &body))
	issued, _, err := documents.CreateDocument(ctx).IdempotencyKey("order-1").CreateDocument(body).Execute()
	must(err)
	listed, _, err := documents.ListDocuments(ctx).Execute()
	must(err)
	_, _, err = documents.GetDocument(ctx, "00000000-0000-0000-0000-000000000000").Execute()
	var failed *openapi.GenericOpenAPIError
	if !errors.As(err, &failed) {
		panic(err)
	}
	refused := failed.Model().(openapi.ErrorBody)
	printed, err := json.Marshal([]any{issued.Number, len(listed.Data), refused.Error.Code})
	must(err)
	fmt.Println(string(printed))
}
`;

const heyApi = `
import { client } from './hey/client.gen.js';
import { createDocument, getDocument, listDocuments } from './hey/sdk.gen.js';
import type { CreateDocument } from './hey/types.gen.js';

declare const process: { argv: string[] };
const [, , baseUrl = '', key = '', text = ''] = process.argv;
const body = JSON.parse(text) as CreateDocument;
client.setConfig({ baseUrl, auth: key });
const issued = await createDocument({ body, headers: { 'Idempotency-Key': 'order-1' } });
const listed = await listDocuments();
const missing = await getDocument({ path: { id: '00000000-0000-0000-0000-000000000000' } });
console.log(JSON.stringify([issued.data?.number, listed.data?.data.length, missing.error?.error.code]));
`;

const oazapfts = `
import { createDocument, defaults, getDocument, listDocuments, type CreateDocument } from './oazapfts.js';

declare const process: { argv: string[] };
const [, , baseUrl = '', key = '', text = ''] = process.argv;
defaults.baseUrl = baseUrl;
defaults.headers = { authorization: \`Bearer \${key}\` };
const issued = await createDocument('order-1', JSON.parse(text) as CreateDocument);
const listed = await listDocuments();
const missing = await getDocument('00000000-0000-0000-0000-000000000000');
if (issued.status !== 201 || listed.status !== 200 || missing.status !== 404) throw new Error('other answers');
console.log(JSON.stringify([issued.data.number, listed.data.data.length, missing.data.error.code]));
`;

/** A validator of a caller: every body passes the schema of the document that is served. */
const jsonschema = `
import json
import sys

from jsonschema import Draft202012Validator

document = json.load(open(sys.argv[1]))
schema = {"$ref": "#/components/schemas/CreateDocument", "components": document["components"]}
validator = Draft202012Validator(schema)
bodies = json.load(open(sys.argv[2]))
refused = [error.message for body in bodies for error in validator.iter_errors(body)]
print(json.dumps([len(bodies), refused[:5]]))
`;

/** A program of TypeScript that is CommonJS. */
const commonJs = `
import { PinkasClient, PinkasError, type CreateDocument } from '@pinkas/client';
import { verifyWebhook, WebhookVerificationError } from '@pinkas/client/webhooks';

declare const process: { argv: string[] };
const [, , baseUrl = '', apiKey = '', text = ''] = process.argv;
async function main(): Promise<void> {
  const pinkas = new PinkasClient({ baseUrl, apiKey });
  const { document } = await pinkas.createDocument(JSON.parse(text) as CreateDocument, { idempotencyKey: 'order-1' });
  const { data } = await pinkas.listDocuments();
  const missing = await pinkas.getDocument('00000000-0000-0000-0000-000000000000').catch((error: unknown) => error);
  try {
    verifyWebhook('{}', {}, 'whsec_AAAA');
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
  }
  console.log(JSON.stringify([document.number, data.length, missing instanceof PinkasError ? missing.code : missing]));
}
void main();
`;

export const issuingPrograms = { ogen, openapiGeneratorGo, heyApi, oazapfts, jsonschema, commonJs };
