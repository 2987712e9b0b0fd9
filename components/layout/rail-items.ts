import * as t from '#components/texts/shell/en.ts'
import {
  accessPath,
  agentsPath,
  approvalsPath,
  auditPath,
  evidencePath,
  executionsPath,
  homePath,
  policiesPath,
  privacyPath,
  settingsPath,
  tracesPath,
} from '#lib/paths.ts'

export type RailItem = {
  label: string
  href: (tenant: string) => string
  /** The first path segment below the tenant; '' is only the home page. */
  area: string
}

/** In the order of a reviewer's day; the second group is set up rarely. */
export const RAIL_GROUPS: RailItem[][] = [
  [
    { label: t.home, href: homePath, area: '' },
    { label: t.approvals, href: approvalsPath, area: 'approvals' },
    { label: t.executions, href: executionsPath, area: 'executions' },
    { label: t.traces, href: tracesPath, area: 'traces' },
    { label: t.evidence, href: evidencePath, area: 'evidence' },
    { label: t.audit, href: auditPath, area: 'audit' },
  ],
  [
    { label: t.agents, href: agentsPath, area: 'agents' },
    { label: t.policies, href: policiesPath, area: 'policies' },
    { label: t.access, href: accessPath, area: 'access' },
    { label: t.privacy, href: privacyPath, area: 'privacy' },
    { label: t.settings, href: settingsPath, area: 'settings' },
  ],
]

/** Returns the area of an address: `approvals` for `/t/acme/approvals/apr_1`. */
export function areaOf(pathname: string): string {
  return pathname.split('/')[3] ?? ''
}
