import { type ComponentType, isValidElement, lazy } from 'react';
import { createRoutesFromElements, matchRoutes, Route, useRoutes } from 'react-router';
import { NotFoundPage } from './components/layout/not-found-page.tsx';
import { OtherPage } from './other-page.tsx';
import { RequireSession } from './require-session.tsx';
import { SignInPage } from './sign-in/sign-in-page.tsx';

/** A page whose code loads when it is first shown. */
const page = (load: () => Promise<ComponentType>) =>
  Object.assign(
    lazy(async () => ({ default: await load() })),
    { load },
  );

const AcceptInvitationPage = page(async () => (await import('./sign-in/accept-invitation-page.tsx')).AcceptInvitationPage);
const BuildPage = page(async () => (await import('./build/build-page.tsx')).BuildPage);
const ConfirmEmailPage = page(async () => (await import('./sign-in/confirm-email-page.tsx')).ConfirmEmailPage);
const CreateOrganizationPage = page(async () => (await import('./sign-in/create-organization-page.tsx')).CreateOrganizationPage);
const ForgotPasswordPage = page(async () => (await import('./sign-in/forgot-password-page.tsx')).ForgotPasswordPage);
const ResetPasswordPage = page(async () => (await import('./sign-in/reset-password-page.tsx')).ResetPasswordPage);
const RequiredFactorPage = page(async () => (await import('./sign-in/required-factor-page.tsx')).RequiredFactorPage);
const SignUpPage = page(async () => (await import('./sign-in/sign-up-page.tsx')).SignUpPage);
const VerifyEmailPage = page(async () => (await import('./sign-in/verify-email-page.tsx')).VerifyEmailPage);
const Shell = page(async () => (await import('./shell/shell.tsx')).Shell);
const Home = page(async () => (await import('./home.tsx')).Home);
const ClientsPage = page(async () => (await import('./clients/clients-page.tsx')).ClientsPage);
const ClientPage = page(async () => (await import('./clients/client-page.tsx')).ClientPage);
const ProjectsPage = page(async () => (await import('./projects/projects-page.tsx')).ProjectsPage);
const ProjectPage = page(async () => (await import('./projects/project-page.tsx')).ProjectPage);
const AnalyticsPage = page(async () => (await import('./analytics/analytics-page.tsx')).AnalyticsPage);
const FormsPage = page(async () => (await import('./forms/forms-page.tsx')).FormsPage);
const TemplatesPage = page(async () => (await import('./templates/templates-page.tsx')).TemplatesPage);
const PlansPage = page(async () => (await import('./plans/plans-page.tsx')).PlansPage);
const OrdersPage = page(async () => (await import('./payments/orders-page.tsx')).OrdersPage);
const RevenuePage = page(async () => (await import('./payments/revenue-page.tsx')).RevenuePage);
const BillingPage = page(async () => (await import('./payments/billing-page.tsx')).BillingPage);
const KeysPage = page(async () => (await import('./keys/keys-page.tsx')).KeysPage);
const CommandLinePage = page(async () => (await import('./keys/command-line-page.tsx')).CommandLinePage);
const EmbeddingPage = page(async () => (await import('./embedding/embedding-page.tsx')).EmbeddingPage);
const AgentsPage = page(async () => (await import('./agents/agents-page.tsx')).AgentsPage);
const UsagePage = page(async () => (await import('./usage/usage-page.tsx')).UsagePage);
const RequestsPage = page(async () => (await import('./requests/requests-page.tsx')).RequestsPage);
const RequestPage = page(async () => (await import('./requests/request-page.tsx')).RequestPage);
const WebhooksPage = page(async () => (await import('./webhooks/webhooks-page.tsx')).WebhooksPage);
const WebhookPage = page(async () => (await import('./webhooks/webhook-page.tsx')).WebhookPage);
const DeliveryPage = page(async () => (await import('./webhooks/delivery-page.tsx')).DeliveryPage);
const MembersPage = page(async () => (await import('./members/members-page.tsx')).MembersPage);
const OrganizationPage = page(async () => (await import('./organization/organization-page.tsx')).OrganizationPage);
const PaymentsPage = page(async () => (await import('./payments/payments-page.tsx')).PaymentsPage);
const LimitsPage = page(async () => (await import('./limits/limits-page.tsx')).LimitsPage);
const AuditPage = page(async () => (await import('./audit/audit-page.tsx')).AuditPage);
const AccountPage = page(async () => (await import('./account/account-page.tsx')).AccountPage);

function routeElements() {
  return (
    <>
      <Route path="/accept-invitation" element={<AcceptInvitationPage />} />
      <Route path="/build" element={<BuildPage />} />
      <Route path="/builder/*" element={<OtherPage />} />
      <Route path="/confirm-email" element={<ConfirmEmailPage />} />
      <Route path="/create-organization" element={<CreateOrganizationPage />} />
      <Route path="/forgot-password" element={<ForgotPasswordPage />} />
      <Route path="/reset-password" element={<ResetPasswordPage />} />
      <Route path="/second-factor" element={<RequiredFactorPage />} />
      <Route path="/sign-in" element={<SignInPage />} />
      <Route path="/sign-up" element={<SignUpPage />} />
      <Route path="/verify-email" element={<VerifyEmailPage />} />
      <Route
        element={
          <RequireSession load={preload}>
            <Shell />
          </RequireSession>
        }
      >
        <Route index element={<Home />} />
        <Route path="/clients" element={<ClientsPage />} />
        <Route path="/clients/:clientId" element={<ClientPage />} />
        <Route path="/projects" element={<ProjectsPage />} />
        <Route path="/projects/:projectId" element={<ProjectPage />} />
        <Route path="/projects/:projectId/forms" element={<FormsPage />} />
        <Route path="/analytics" element={<AnalyticsPage />} />
        <Route path="/templates" element={<TemplatesPage />} />
        <Route path="/plans" element={<PlansPage />} />
        <Route path="/orders" element={<OrdersPage />} />
        <Route path="/revenue" element={<RevenuePage />} />
        <Route path="/billing" element={<BillingPage />} />
        <Route path="/keys" element={<KeysPage />} />
        <Route path="/connect-command-line" element={<CommandLinePage />} />
        <Route path="/embedding" element={<EmbeddingPage />} />
        <Route path="/agents" element={<AgentsPage />} />
        <Route path="/usage" element={<UsagePage />} />
        <Route path="/requests" element={<RequestsPage />} />
        <Route path="/requests/:requestId" element={<RequestPage />} />
        <Route path="/webhooks" element={<WebhooksPage />} />
        <Route path="/webhooks/:webhookId" element={<WebhookPage />} />
        <Route path="/webhooks/:webhookId/deliveries/:deliveryId" element={<DeliveryPage />} />
        <Route path="/members" element={<MembersPage />} />
        <Route path="/organization" element={<OrganizationPage />} />
        <Route path="/payments" element={<PaymentsPage />} />
        <Route path="/limits" element={<LimitsPage />} />
        <Route path="/audit" element={<AuditPage />} />
        <Route path="/account" element={<AccountPage />} />
        <Route path="*" element={<NotFoundPage />} />
      </Route>
    </>
  );
}

const routes = createRoutesFromElements(routeElements());

export const Pages = () => useRoutes(routes);

/** Starts loading the code of a page and the shell. Errors are reported when the page renders. */
function preload(pathname: string): void {
  const element = matchRoutes(routes, pathname)?.at(-1)?.route.element;
  const loads = isValidElement(element) ? [Shell.load, (element.type as Partial<typeof Shell>).load] : [];
  for (const load of loads) load?.().catch(() => undefined);
}
