import { Module, type Type } from '@nestjs/common';
import type { BackgroundTask } from '@pinkas/service-kit';
import { HttpMetrics } from '@pinkas/service-kit/http';
import { KeyAuthenticator } from './api-key/key-authenticator.js';
import { KeyOperations } from './api-key/key-operations.js';
import { KeyUseRecorder } from './api-key/key-use-recorder.js';
import { BusinessEvents } from './business/business-events.js';
import { BusinessOperations } from './business/business-operations.js';
import { UpdateBusiness } from './business/update-business.js';
import { GatewayChecks } from './http/gateway-checks.js';
import { HttpServer } from './http/http-server.js';
import { RateLimiter } from './http/rate-limiter.js';
import { RequestCounter } from './http/request-counter.js';
import { RequestPipeline } from './http/request-pipeline.js';
import { KillSwitch } from './kill-switch/kill-switch.js';
import { SetKillSwitch } from './kill-switch/set-kill-switch.js';
import { showReference } from './pages/reference/show-reference.js';
import { serveExamples } from './pages/serve-examples.js';
import { servePackages } from './pages/serve-packages.js';
import { ServePdf } from './pages/serve-pdf.js';
import { serveTexts } from './pages/serve-texts.js';
import { ShowConnectedPage } from './pages/show-connected-page.js';
import { showErrors } from './pages/show-errors.js';
import { showGuidePages } from './pages/show-guide-pages.js';
import { ShowViewPage } from './pages/show-view-page.js';
import { VerifyPage } from './pages/verify/verify-page.js';
import { RequestOperations } from './request-log/request-operations.js';
import { RequestRecorder } from './request-log/request-recorder.js';
import { GetCustomers } from './routes/get-customers.js';
import { GetDocumentById } from './routes/get-document-by-id.js';
import { GetDocumentTypes } from './routes/get-document-types.js';
import { GetDocuments } from './routes/get-documents.js';
import { GetErrors } from './routes/get-errors.js';
import { GetEventById } from './routes/get-event-by-id.js';
import { GetEvents } from './routes/get-events.js';
import { GetMe } from './routes/get-me.js';
import { GetOpenApi } from './routes/get-openapi.js';
import { GetRequestById } from './routes/get-request-by-id.js';
import { PostDocumentCancel } from './routes/post-document-cancel.js';
import { PostDocumentPreview } from './routes/post-document-preview.js';
import { ProvokablePostDocuments } from './test-mode/provokable-post-documents.js';

/** Businesses and API keys, the HTTP API, and the pages. */
@Module({
  controllers: [BusinessOperations, UpdateBusiness, KeyOperations, RequestOperations, SetKillSwitch],
  providers: [
    RequestCounter,
    RateLimiter,
    KillSwitch,
    BusinessEvents,
    KeyAuthenticator,
    KeyUseRecorder,
    RequestRecorder,
    HttpMetrics,
    RequestPipeline,
    HttpServer,
    GatewayChecks,
    GetMe,
    GetDocumentTypes,
    GetErrors,
    GetOpenApi,
    ProvokablePostDocuments,
    PostDocumentPreview,
    GetDocuments,
    GetDocumentById,
    PostDocumentCancel,
    GetEvents,
    GetEventById,
    GetRequestById,
    GetCustomers,
    ShowViewPage,
    ServePdf,
    ...servePackages,
    ...serveTexts,
    ...serveExamples,
    ...showGuidePages,
    showErrors,
    showReference,
    ShowConnectedPage,
    VerifyPage,
  ],
})
export class GatewayModule {}

/** In the order of their start. */
export const backgroundTasks: readonly Type<BackgroundTask>[] = [
  RequestCounter,
  KillSwitch,
  KeyUseRecorder,
  RequestRecorder,
  HttpServer,
];
