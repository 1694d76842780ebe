import { Module, type Type } from '@nestjs/common';
import type { BackgroundTask } from '@pinkas/service-kit';
import { HttpMetrics } from '@pinkas/service-kit/http';
import { BookChecks } from './book-check/book-checks.js';
import { NoticeSender } from './email/notice-sender.js';
import { ExportModule, exportTasks } from './export/export.module.js';
import { BusinessNames } from './http/business-names.js';
import { Drafts } from './http/drafts.js';
import { HttpServer } from './http/http-server.js';
import { KeptForms } from './http/kept-forms.js';
import { PageFrame } from './http/page-frame.js';
import { PagePipeline } from './http/page-pipeline.js';
import { NoticeTrigger } from './notice/notice-trigger.js';
import { AccountantPackages } from './package/accountant-packages.js';
import { AccountPages } from './pages/account/account-pages.js';
import { PasskeyPages } from './pages/account/passkey-pages.js';
import { AuthorityPages } from './pages/authority-pages.js';
import { BusinessPreviewPages } from './pages/business/business-preview-pages.js';
import { SettingsPages } from './pages/business/settings-pages.js';
import { CancellationPages } from './pages/cancellation-pages.js';
import { ConnectionPages } from './pages/connection-pages.js';
import { ConsoleFrame } from './pages/console-frame.js';
import { CustomerPages } from './pages/customer-pages.js';
import { DebtPages } from './pages/debts/debt-pages.js';
import { ReminderPages } from './pages/debts/reminder-pages.js';
import { DocumentSetOffPages, SetOffPages } from './pages/debts/set-off-pages.js';
import { StatementEmailPages } from './pages/debts/statement-email-pages.js';
import { StatementPages } from './pages/debts/statement-pages.js';
import { WithheldPages } from './pages/debts/withheld-pages.js';
import { DocumentPages } from './pages/document-pages.js';
import { DonationPages } from './pages/donation-pages.js';
import { ExportPages } from './pages/exports/export-pages.js';
import { MonthlyPages } from './pages/exports/monthly-pages.js';
import { TransmissionPages } from './pages/exports/transmission-pages.js';
import { FirstPages } from './pages/first-pages.js';
import { CreditPages } from './pages/issue/credit-pages.js';
import { DocumentTypePages } from './pages/issue/document-type-pages.js';
import { IssuePages } from './pages/issue/issue-pages.js';
import { Issuing } from './pages/issue/issuing.js';
import { KeptFormPages } from './pages/kept-form-pages.js';
import { KeyPages } from './pages/key-pages.js';
import { LanguagePages } from './pages/language-pages.js';
import { DocumentListPages } from './pages/list/document-list-pages.js';
import { SelectionPages } from './pages/list/selection-pages.js';
import { NewCustomerPages } from './pages/new-customer-pages.js';
import { NumberPages } from './pages/number-pages.js';
import { InvitePages } from './pages/people/invite-pages.js';
import { LeavePages } from './pages/people/leave-pages.js';
import { MemberPages } from './pages/people/member-pages.js';
import { PeoplePages } from './pages/people/people-pages.js';
import { RefusalPages } from './pages/refusal-pages.js';
import { ReportPages } from './pages/reports/report-pages.js';
import { RequestListPages } from './pages/requests/request-list-pages.js';
import { RequestPages } from './pages/requests/request-pages.js';
import { LinkPages } from './pages/sign-in/link-pages.js';
import { OidcPages } from './pages/sign-in/oidc-pages.js';
import { PasskeySignInPages } from './pages/sign-in/passkey-sign-in-pages.js';
import { ProofPages } from './pages/sign-in/proof-pages.js';
import { SignInPages } from './pages/sign-in/sign-in-pages.js';
import { SuppressionPages } from './pages/suppression-pages.js';
import { CheckPages } from './pages/today/check-pages.js';
import { TodayPages } from './pages/today/today-pages.js';
import { TrailPages } from './pages/trail/trail-pages.js';
import { EndpointListPages } from './pages/webhooks/endpoint-list-pages.js';
import { EndpointPages } from './pages/webhooks/endpoint-pages.js';
import { NewEndpointPages } from './pages/webhooks/new-endpoint-pages.js';
import { Passkeys } from './passkey/passkeys.js';
import { Members } from './people/members.js';
import { PeopleOperations } from './people/people-operations.js';
import { AttemptLimiter } from './sign-in/attempt-limiter.js';
import { CreateSignInLink } from './sign-in/create-sign-in-link.js';
import { LinkRequests } from './sign-in/link-requests.js';
import { Oidc } from './sign-in/oidc.js';
import { SessionStarter } from './sign-in/session-starter.js';
import { SignInPurger } from './sign-in/sign-in-purger.js';

/** Every page of the console is a method of one of these. */
const pages = [
  AccountPages,
  PasskeyPages,
  AuthorityPages,
  BusinessPreviewPages,
  SettingsPages,
  CancellationPages,
  ConnectionPages,
  CustomerPages,
  NewCustomerPages,
  DebtPages,
  ReminderPages,
  SetOffPages,
  DocumentSetOffPages,
  WithheldPages,
  StatementPages,
  StatementEmailPages,
  DocumentPages,
  DonationPages,
  ExportPages,
  MonthlyPages,
  TransmissionPages,
  FirstPages,
  CreditPages,
  DocumentTypePages,
  IssuePages,
  KeptFormPages,
  KeyPages,
  LanguagePages,
  DocumentListPages,
  SelectionPages,
  NumberPages,
  InvitePages,
  LeavePages,
  MemberPages,
  PeoplePages,
  RefusalPages,
  ReportPages,
  RequestListPages,
  RequestPages,
  LinkPages,
  OidcPages,
  PasskeySignInPages,
  ProofPages,
  SignInPages,
  SuppressionPages,
  TodayPages,
  CheckPages,
  TrailPages,
  EndpointListPages,
  EndpointPages,
  NewEndpointPages,
];

/** People and what they may do, and the pages of the console. */
@Module({
  imports: [ExportModule],
  controllers: [PeopleOperations, CreateSignInLink],
  providers: [
    HttpMetrics,
    BusinessNames,
    { provide: PageFrame, useClass: ConsoleFrame },
    PagePipeline,
    HttpServer,
    AttemptLimiter,
    NoticeSender,
    { provide: NoticeTrigger, useExisting: NoticeSender },
    LinkRequests,
    SessionStarter,
    SignInPurger,
    Members,
    AccountantPackages,
    BookChecks,
    Passkeys,
    Oidc,
    Drafts,
    KeptForms,
    Issuing,
    ...pages,
  ],
})
export class ConsoleModule {}

/** In the order of their start. */
export const backgroundTasks: readonly Type<BackgroundTask>[] = [
  NoticeSender,
  SignInPurger,
  AccountantPackages,
  BookChecks,
  ...exportTasks,
  HttpServer,
];
