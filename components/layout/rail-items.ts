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
    { label: 'Home', href: homePath, area: '' },
    { label: 'Approvals', href: approvalsPath, area: 'approvals' },
    { label: 'Executions', href: executionsPath, area: 'executions' },
    { label: 'Traces', href: tracesPath, area: 'traces' },
    { label: 'Evidence', href: evidencePath, area: 'evidence' },
    { label: 'Audit', href: auditPath, area: 'audit' },
  ],
  [
    { label: 'Agents', href: agentsPath, area: 'agents' },
    { label: 'Policies', href: policiesPath, area: 'policies' },
    { label: 'Access', href: accessPath, area: 'access' },
    { label: 'Privacy', href: privacyPath, area: 'privacy' },
    { label: 'Settings', href: settingsPath, area: 'settings' },
  ],
]

/** Returns the area of an address: `approvals` for `/t/acme/approvals/apr_1`. */
export function areaOf(pathname: string): string {
  return pathname.split('/')[3] ?? ''
}
