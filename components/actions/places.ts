import { RAIL_GROUPS } from '#components/layout/rail-items.ts'
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

/** The pages of a tenant for the palette, in the order of the rail. */
export const placesOf = (tenant: string): Place[] => [
  ...RAIL_GROUPS.flat().map(({ label, href }) => ({ title: `Go to ${label.toLowerCase()}`, href: href(tenant) })),
  { title: 'Go to alarms', href: alarmsPath(tenant), permission: 'audit:read' },
  { title: 'Go to groups', href: accessPath(tenant, 'groups') },
  { title: 'Go to service accounts', href: accessPath(tenant, 'service-accounts') },
  { title: 'Go to connection tokens', href: accessPath(tenant, 'connection-tokens') },
  { title: 'Go to API keys', href: accessPath(tenant, 'api-keys') },
  { title: 'Go to secrets', href: accessPath(tenant, 'secrets') },
  { title: 'Go to retention', href: privacyPath(tenant, 'retention') },
  { title: 'Go to erasures', href: privacyPath(tenant, 'erasures') },
  { title: 'Go to the organisation’s settings', href: settingsPath(tenant, 'tenant') },
  { title: 'Go to notifications', href: settingsPath(tenant, 'notifications') },
  { title: 'Start an execution', href: newExecutionPath(tenant), permission: 'execution:start' },
  { title: 'Export evidence', href: newEvidencePath(tenant), permission: 'evidence:export' },
  { title: 'Register an agent', href: newAgentPath(tenant), permission: 'agent:create' },
  { title: 'Write a policy', href: newPolicyPath(tenant), permission: 'policy:author' },
  { title: 'Verify an evidence archive', href: verifyPath() },
]
