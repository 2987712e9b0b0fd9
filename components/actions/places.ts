import { RAIL_GROUPS } from '#components/layout/rail-items.ts'
import * as t from '#components/texts/palette/en.ts'
import {
  accessPath,
  alarmsPath,
  newAgentPath,
  newEvidencePath,
  newExecutionPath,
  newPolicyPath,
  privacyPath,
  settingsPath,
  verifyPath,
} from '#lib/paths.ts'
import type { Permission } from '#lib/permissions.ts'

/** A page to go to, or to begin something on. Without `permission` everyone may open it. */
export type Place = { title: string; href: string; permission?: Permission }

/** Of the areas in the rail; '' is the home page. */
const railTitles: Readonly<Record<string, string>> = {
  '': t.goHome,
  approvals: t.goApprovals,
  executions: t.goExecutions,
  traces: t.goTraces,
  evidence: t.goEvidence,
  audit: t.goAudit,
  agents: t.goAgents,
  policies: t.goPolicies,
  access: t.goAccess,
  privacy: t.goPrivacy,
  settings: t.goSettings,
}

/** The pages of a tenant for the palette, in the order of the rail. */
export const placesOf = (tenant: string): Place[] => [
  ...RAIL_GROUPS.flat().map(({ area, href }) => ({ title: railTitles[area] ?? area, href: href(tenant) })),
  { title: t.goAlarms, href: alarmsPath(tenant), permission: 'audit:read' },
  { title: t.goGroups, href: accessPath(tenant, 'groups') },
  { title: t.goServiceAccounts, href: accessPath(tenant, 'service-accounts') },
  { title: t.goConnectionTokens, href: accessPath(tenant, 'connection-tokens') },
  { title: t.goApiKeys, href: accessPath(tenant, 'api-keys') },
  { title: t.goSecrets, href: accessPath(tenant, 'secrets') },
  { title: t.goRetention, href: privacyPath(tenant, 'retention') },
  { title: t.goErasures, href: privacyPath(tenant, 'erasures') },
  { title: t.goTenant, href: settingsPath(tenant, 'tenant') },
  { title: t.goNotifications, href: settingsPath(tenant, 'notifications') },
  { title: t.startExecution, href: newExecutionPath(tenant), permission: 'execution:start' },
  { title: t.exportEvidence, href: newEvidencePath(tenant), permission: 'evidence:export' },
  { title: t.registerAgent, href: newAgentPath(tenant), permission: 'agent:create' },
  { title: t.writePolicy, href: newPolicyPath(tenant), permission: 'policy:author' },
  { title: t.verifyArchive, href: verifyPath() },
]
