import { Module, type Type } from '@nestjs/common';
import type { BackgroundTask } from '@pinkas/service-kit';
import { HttpMetrics } from '@pinkas/service-kit/http';
import { NoticeSender } from './email/notice-sender.js';
import { ExportModule, exportTasks } from './export/export.module.js';
import { BusinessNames } from './http/business-names.js';
import { HttpServer } from './http/http-server.js';
import { PageFrame } from './http/page-frame.js';
import { PagePipeline } from './http/page-pipeline.js';
import { NoticeTrigger } from './notice/notice-trigger.js';
import { AccountantPackages } from './package/accountant-packages.js';
import { EndOtherSessions, EndSession } from './pages/account/end-sessions.js';
import {
  AddPasskey,
  BeginPasskey,
  RemovePasskey,
  RenamePasskey,
  ShowNewPasskey,
  ShowRemovePasskey,
} from './pages/account/passkey-pages.js';
import { ShowAccount } from './pages/account/show-account.js';
import {
  CompleteAuthority,
  ConfirmDisconnection,
  ConnectAuthority,
  DisconnectAuthority,
  ShowAuthority,
} from './pages/authority.js';
import { BusinessPreviewPages } from './pages/business/business-preview.js';
import { SettingsPages } from './pages/business/settings-pages.js';
import { CancelDocumentNow, PreviewCancellation } from './pages/cancel-document.js';
import { CancelDonationNow, PreviewDonationCancellation } from './pages/cancel-donation.js';
import { ChooseLanguage } from './pages/choose-language.js';
import {
  ConfirmRevocation,
  CreateKeyPage,
  RevokeKeyPage,
  ShowConnectionSettings,
  StartKey,
} from './pages/connection.js';
import { ConsoleFrame } from './pages/console-frame.js';
import { IssueCreditNote, StartCreditNote } from './pages/credit-document.js';
import { ListCustomersPage, SaveCustomer, ShowCustomerPage } from './pages/customers.js';
import { DebtPages } from './pages/debts/debt-pages.js';
import { ReminderPages } from './pages/debts/reminder.js';
import { StatementPages } from './pages/debts/statement-pages.js';
import { DecideRefusalNow, PreviewDecision } from './pages/decide-refusal.js';
import { AllowAddress, ResendMessages, RetryAllocationNow, SendDocument } from './pages/document-actions.js';
import { EnterNumberNow, RequestNumberNow, ShowNumberEntry } from './pages/enter-number.js';
import { RestartAccountantPackage, SaveAccountantSchedule } from './pages/exports/monthly-pages.js';
import { PreviewTransmission, TransmitNow } from './pages/exports/transmission-pages.js';
import { DownloadExport, RequestExport, ShowExports } from './pages/exports.js';
import { ChooseType } from './pages/issue/choose-type.js';
import {
  ComposeDocument,
  DrawDocument,
  Issuing,
  StartDocument,
  SuggestCustomers,
} from './pages/issue/issue-pages.js';
import { ExportSelection, SendSelection } from './pages/list/selection-pages.js';
import { ListDocumentsPage } from './pages/list-documents.js';
import { InviteMember, ShowInvite } from './pages/people/invite-pages.js';
import { ConfirmDeparture, LeaveBusiness } from './pages/people/leave-pages.js';
import { ChangeRole, RemoveMember, ShowMember } from './pages/people/member-pages.js';
import { ShowPeople } from './pages/people/show-people.js';
import { PreviewDonationReport, ReportDonationNow } from './pages/report-donation.js';
import { ReportPages } from './pages/reports/report-pages.js';
import { ServePdf } from './pages/serve-pdf.js';
import { ShowDocument } from './pages/show-document.js';
import { ShowFirstPage } from './pages/show-first-page.js';
import { ShowToday } from './pages/show-today.js';
import { CompleteOidc, StartOidc } from './pages/sign-in/oidc-pages.js';
import { ChallengePasskey, UsePasskey } from './pages/sign-in/passkey-pages.js';
import { RequestLink } from './pages/sign-in/request-link.js';
import { RequestProof, ShowProofSent } from './pages/sign-in/request-proof.js';
import { ShowLink } from './pages/sign-in/show-link.js';
import { ShowLinkSent } from './pages/sign-in/show-link-sent.js';
import { ShowProof } from './pages/sign-in/show-proof.js';
import { ShowSignIn } from './pages/sign-in/show-sign-in.js';
import { SignOut } from './pages/sign-in/sign-out.js';
import { UseLink } from './pages/sign-in/use-link.js';
import { TrailPages } from './pages/trail/trail-pages.js';
import { CreateEndpointPage, StartEndpoint } from './pages/webhooks/create-endpoint.js';
import { EndpointPages } from './pages/webhooks/endpoint-pages.js';
import { ShowEndpoints } from './pages/webhooks/show-endpoints.js';
import { Passkeys } from './passkey/passkeys.js';
import { InvitePerson } from './people/invite-person.js';
import { ListPeople } from './people/list-people.js';
import { Members } from './people/members.js';
import { RemovePerson } from './people/remove-person.js';
import { AttemptLimiter } from './sign-in/attempt-limiter.js';
import { CreateSignInLink } from './sign-in/create-sign-in-link.js';
import { LinkRequests } from './sign-in/link-requests.js';
import { Oidc } from './sign-in/oidc.js';
import { SessionStarter } from './sign-in/session-starter.js';
import { SignInPurger } from './sign-in/sign-in-purger.js';

/** Who people are: signing in, their account. */
const signInPages = [
  ShowSignIn,
  RequestLink,
  ShowLinkSent,
  ShowLink,
  UseLink,
  ChallengePasskey,
  UsePasskey,
  StartOidc,
  CompleteOidc,
  SignOut,
  ShowProof,
  RequestProof,
  ShowProofSent,
  ShowAccount,
  EndSession,
  EndOtherSessions,
  ShowNewPasskey,
  BeginPasskey,
  AddPasskey,
  RenamePasskey,
  ShowRemovePasskey,
  RemovePasskey,
];

/** What they may do in a business. */
const peoplePages = [
  ShowPeople,
  ShowInvite,
  InviteMember,
  ShowMember,
  ChangeRole,
  RemoveMember,
  ConfirmDeparture,
  LeaveBusiness,
];

/** Where the events of a business are sent. */
const webhookPages = [ShowEndpoints, StartEndpoint, CreateEndpointPage, EndpointPages];

/** What they do there. */
const businessPages = [
  ShowExports,
  RequestExport,
  ExportSelection,
  SendSelection,
  SaveAccountantSchedule,
  RestartAccountantPackage,
  DownloadExport,
  PreviewTransmission,
  TransmitNow,
  CompleteAuthority,
  ConfirmDisconnection,
  ConnectAuthority,
  DisconnectAuthority,
  ShowAuthority,
  BusinessPreviewPages,
  SettingsPages,
  CancelDocumentNow,
  PreviewCancellation,
  CancelDonationNow,
  PreviewDecision,
  DecideRefusalNow,
  ShowNumberEntry,
  EnterNumberNow,
  RequestNumberNow,
  PreviewDonationCancellation,
  ConfirmRevocation,
  CreateKeyPage,
  RevokeKeyPage,
  ShowConnectionSettings,
  StartKey,
  Issuing,
  ChooseType,
  StartDocument,
  ComposeDocument,
  DrawDocument,
  SuggestCustomers,
  IssueCreditNote,
  StartCreditNote,
  ListCustomersPage,
  SaveCustomer,
  ShowCustomerPage,
  AllowAddress,
  ResendMessages,
  RetryAllocationNow,
  PreviewDonationReport,
  ReportDonationNow,
  SendDocument,
  ListDocumentsPage,
  ServePdf,
  ShowDocument,
  ShowToday,
  TrailPages,
  DebtPages,
  StatementPages,
  ReminderPages,
  ReportPages,
];

/** People and what they may do, and the pages of the console. */
@Module({
  imports: [ExportModule],
  controllers: [InvitePerson, ListPeople, RemovePerson, CreateSignInLink],
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
    Passkeys,
    Oidc,
    ChooseLanguage,
    ShowFirstPage,
    ...signInPages,
    ...peoplePages,
    ...webhookPages,
    ...businessPages,
  ],
})
export class ConsoleModule {}

/** In the order of their start. */
export const backgroundTasks: readonly Type<BackgroundTask>[] = [
  NoticeSender,
  SignInPurger,
  AccountantPackages,
  ...exportTasks,
  HttpServer,
];
