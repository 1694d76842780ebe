import { Module, type Type } from '@nestjs/common';
import type { Background } from '@pinkas/service-kit';
import { CreateKey } from './api-key/create-key.js';
import { ListKeys } from './api-key/list-keys.js';
import { RevokeKey } from './api-key/revoke-key.js';
import { SwitchApi } from './api-switch/switch-api.js';
import { CreateBusiness } from './business/create-business.js';
import { ListBusinesses } from './business/list-businesses.js';
import { ShowBusiness } from './business/show-business.js';
import { UpdateBusiness } from './business/update-business.js';
import { GetCustomers } from './customer/get-customers.js';
import { GetDocumentById } from './document/get-document-by-id.js';
import { GetDocuments } from './document/get-documents.js';
import { PostDocumentCancel } from './document/post-document-cancel.js';
import { PostDocuments } from './document/post-documents.js';
import { GetDocumentTypes } from './document-type/get-document-types.js';
import { GetErrors } from './error/get-errors.js';
import { CallPipeline } from './http/call-pipeline.js';
import { HttpMetrics } from './http/http-metrics.js';
import { HttpServer } from './http/http-server.js';
import { PagePipeline } from './http/page-pipeline.js';
import { GetOpenApi } from './openapi/get-openapi.js';
import { ReferenceAssets } from './page/reference-assets.js';
import { ServeDocsAsset } from './page/serve-docs-asset.js';
import { ServePdf } from './page/serve-pdf.js';
import { ShowConnectedPage } from './page/show-connected-page.js';
import { ShowErrorsPage } from './page/show-errors-page.js';
import { ShowReference } from './page/show-reference.js';
import { ShowViewPage } from './page/show-view-page.js';
import { GetMe } from './profile/get-me.js';
import { RateLimiter } from './rate-limit/rate-limiter.js';
import { RedisCounter } from './rate-limit/redis-counter.js';

/** The front door: businesses and keys, the HTTP interface, and the pages. */
@Module({
  controllers: [
    CreateBusiness,
    UpdateBusiness,
    ShowBusiness,
    ListBusinesses,
    CreateKey,
    RevokeKey,
    ListKeys,
    SwitchApi,
  ],
  providers: [
    RedisCounter,
    RateLimiter,
    HttpMetrics,
    CallPipeline,
    PagePipeline,
    HttpServer,
    GetMe,
    GetDocumentTypes,
    GetErrors,
    GetOpenApi,
    PostDocuments,
    GetDocuments,
    GetDocumentById,
    PostDocumentCancel,
    GetCustomers,
    ShowViewPage,
    ServePdf,
    ShowErrorsPage,
    ShowConnectedPage,
    ReferenceAssets,
    ServeDocsAsset,
    ShowReference,
  ],
})
export class GatewayModule {}

/** What runs beside the operations, in the order of its start. */
export const backgrounds: readonly Type<Background>[] = [RedisCounter, HttpServer];
