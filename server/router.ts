import { groups, members, tenantSettings } from '#server/access/router.ts'
import { agents } from '#server/agents/router.ts'
import { approvals, delegations } from '#server/approvals/router.ts'
import { alarms, audit } from '#server/audit/router.ts'
import { catalog } from '#server/catalog/router.ts'
import { changes } from '#server/changes/router.ts'
import { connectionTokens } from '#server/connection-tokens/router.ts'
import { executionApprovals, executions } from '#server/executions/router.ts'
import { externalAgentApprovals, externalAgentPolicies } from '#server/external-agents/router.ts'
import { agentActivity, home } from '#server/home/router.ts'
import { sessions } from '#server/identity/sessions/router.ts'
import { executionInputs } from '#server/inputs/router.ts'
import { mergeRouters, router } from '#server/kernel/trpc.ts'
import { notifications } from '#server/notifications/router.ts'
import { passkeys } from '#server/passkeys/router.ts'
import { policies, policyBindings } from '#server/policies/router.ts'
import { erasures, holds } from '#server/privacy/router.ts'
import { releases } from '#server/releases/router.ts'
import { savedViews } from '#server/saved-views/router.ts'
import { search } from '#server/search/router.ts'
import { secrets } from '#server/secrets/router.ts'
import { serviceAccounts } from '#server/service-accounts/router.ts'
import { standingGrantApprovals } from '#server/standing-grants/router.ts'
import { observedAgents } from '#server/telemetry/router.ts'
import { session, tenants } from '#server/tenants/router.ts'
import { traces } from '#server/traces/router.ts'

/** Every procedure of the API, by domain. */
export const appRouter = router({
  agents: mergeRouters(agents, agentActivity, observedAgents),
  alarms,
  approvals: mergeRouters(approvals, executionApprovals, externalAgentApprovals, standingGrantApprovals),
  audit,
  catalog,
  changes,
  connectionTokens,
  delegations,
  erasures,
  executions: mergeRouters(executions, executionInputs),
  groups,
  holds,
  home,
  members,
  notifications,
  passkeys,
  policies: mergeRouters(policies, externalAgentPolicies),
  policyBindings,
  releases,
  savedViews,
  search,
  secrets,
  serviceAccounts,
  session,
  sessions,
  tenants: mergeRouters(tenants, tenantSettings),
  traces,
})

export type AppRouter = typeof appRouter
