import { Module, type Type } from '@nestjs/common';
import type { BackgroundTask } from '@pinkas/service-kit';
import { HttpMetrics } from '@pinkas/service-kit/http';
import { ContinuePages } from './access/continue-pages.js';
import { FirstPages } from './access/first-pages.js';
import { InvitePages } from './access/people/invite-pages.js';
import { LeavePages } from './access/people/leave-pages.js';
import { MemberPages } from './access/people/member-pages.js';
import { Members } from './access/people/members.js';
import { PeopleOperations } from './access/people/people-operations.js';
import { PeoplePages } from './access/people/people-pages.js';
import { PasskeyPages } from './access/profile/passkey-pages.js';
import { ProfilePages } from './access/profile/profile-pages.js';
import { AttemptLimiter } from './access/sign-in/attempt-limiter.js';
import { CreateSignInLink } from './access/sign-in/create-sign-in-link.js';
import { LinkPages } from './access/sign-in/link-pages.js';
import { LinkRequests } from './access/sign-in/link-requests.js';
import { Oidc } from './access/sign-in/oidc.js';
import { OidcPages } from './access/sign-in/oidc-pages.js';
import { PasskeySignInPages } from './access/sign-in/passkey-sign-in-pages.js';
import { Passkeys } from './access/sign-in/passkeys.js';
import { ProofPages } from './access/sign-in/proof-pages.js';
import { SessionStarter } from './access/sign-in/session-starter.js';
import { SignInPages } from './access/sign-in/sign-in-pages.js';
import { SignInPurger } from './access/sign-in/sign-in-purger.js';
import { AuthorityPages } from './connection/authority-pages.js';
import { ConnectionPages } from './connection/connection-pages.js';
import { KeyPages } from './connection/key-pages.js';
import { RequestListPages } from './connection/requests/request-list-pages.js';
import { RequestPages } from './connection/requests/request-pages.js';
import { EndpointListPages } from './connection/webhooks/endpoint-list-pages.js';
import { EndpointPages } from './connection/webhooks/endpoint-pages.js';
import { NewEndpointPages } from './connection/webhooks/new-endpoint-pages.js';
import { CustomerPages } from './customer/customer-pages.js';
import { NewCustomerPages } from './customer/new-customer-pages.js';
import { SuppressionPages } from './customer/suppression-pages.js';
import { DebtPages } from './debts/debt-pages.js';
import { ReminderPages } from './debts/reminder-pages.js';
import { DocumentSetOffPages, SetOffPages } from './debts/set-off-pages.js';
import { StatementEmailPages } from './debts/statement-email-pages.js';
import { StatementPages } from './debts/statement-pages.js';
import { WithheldPages } from './debts/withheld-pages.js';
import { CancellationPages } from './document/cancellation-pages.js';
import { DocumentPages } from './document/document-pages.js';
import { DonationPages } from './document/donation-pages.js';
import { NumberPages } from './document/number-pages.js';
import { RefusalPages } from './document/refusal-pages.js';
import { NoticeSender } from './email/notice-sender.js';
import { ExportModule, exportTasks } from './files/export.module.js';
import { ExportPages } from './files/export-pages.js';
import { AccountantPackages } from './files/months/accountant-packages.js';
import { MonthlyPages } from './files/months/monthly-pages.js';
import { TransmissionPages } from './files/transmission/transmission-pages.js';
import { ConsoleFrame } from './frame/console-frame.js';
import { LanguagePages } from './frame/language-pages.js';
import { BusinessNames } from './http/business-names.js';
import { Drafts } from './http/drafts.js';
import { HttpServer } from './http/http-server.js';
import { PageFrame } from './http/page-frame.js';
import { PagePipeline } from './http/page-pipeline.js';
import { PageReplies } from './http/page-replies.js';
import { CreditPages } from './issue/credit-pages.js';
import { DocumentTypePages } from './issue/document-type-pages.js';
import { IssuePages } from './issue/issue-pages.js';
import { Issuing } from './issue/issuing.js';
import { DocumentListPages } from './list/document-list-pages.js';
import { SelectionPages } from './list/selection-pages.js';
import { NoticeTrigger } from './notice/notice-trigger.js';
import { ReportPages } from './reports/report-pages.js';
import { BusinessPreviewPages } from './settings/business-preview-pages.js';
import { SettingsPages } from './settings/settings-pages.js';
import { BookChecks } from './today/book-checks.js';
import { CheckPages } from './today/check-pages.js';
import { TodayPages } from './today/today-pages.js';
import { TrailPages } from './trail/trail-pages.js';

/** Every page of the console is a method of one of these. */
const pages = [
  ProfilePages,
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
  ContinuePages,
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
    PageReplies,
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
