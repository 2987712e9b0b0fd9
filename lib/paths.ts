/** Every address of the console, and the only place that builds one. Keep in step with the folders below app/. */

/** The parameters allowed in a path, which are written into HTML and flight data unescaped. */
const PARAMETER = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/

export function isPathParameter(value: string): boolean {
  return PARAMETER.test(value)
}

/** Placeholder for a parameter in the prerendered shell of its page; unique per parameter, or hydration fails. */
export function placeholder(parameter: string): string {
  return `__${parameter}__`
}

type Search = Record<string, string | number | undefined>

function withSearch(path: string, search: Search = {}): string {
  const pairs = Object.entries(search).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]))
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`
}

/** Throws for a value that could leave its segment, instead of linking to another page. */
function segment(value: string): string {
  if (!isPathParameter(value)) throw new Error(`Not usable in an address: ${JSON.stringify(value)}`)
  return value
}

export const rootPath = () => '/'
/** `again`: in a separate window, for a page whose session has ended. */
export const signInPath = (search: { organisation?: string; again?: '1' } = {}) => withSearch('/sign-in', search)
export const authCallbackPath = () => '/auth/callback'
export const signedOutPath = () => '/signed-out'
/** The keys and heads that the service publishes for a tenant, by its external id. */
export const logKeysPath = (tenant: string): string =>
  `/.well-known/countersign/${encodeURIComponent(tenant)}/log-keys.json`

export const verifyPath = () => '/verify'

/** A tenant's public image, by the SHA-256 of its bytes in hex. */
export const brandingPath = (sha256: string) => `/v1/branding/${segment(sha256)}`

/** The audit records that match, as a file. */
export const auditFilePath = (search: AuditSearch & { format: 'csv' | 'ndjson' }) =>
  withSearch('/v1/audit/file', search)

/** Where MCP clients reach the released tools of one server; `tenant` is the external id. */
export const gatewayPath = (tenant: string, agent: string, server: string, search: { environment?: string } = {}) =>
  withSearch(`/v1/mcp/t/${[tenant, agent, server].map(encodeURIComponent).join('/')}`, search)

export const homePath = (tenant: string) => `/t/${segment(tenant)}`

export type ApprovalsView = 'needs-me' | 'mine' | 'expiring' | 'decided' | 'all'
/** The tab of the standing grants, which are not requests. */
export const grantsView = 'grants'
/** The list, and its filters as the inbox writes them. */
export type ApprovalsSearch = { view?: ApprovalsView | typeof grantsView; [filter: string]: string | undefined }
export const approvalsPath = (tenant: string, search: ApprovalsSearch = {}) =>
  withSearch(`${homePath(tenant)}/approvals`, search)
/** `search` names the list that the page's "next" and "previous" move through. */
export const approvalPath = (tenant: string, approvalId: string, search: ApprovalsSearch = {}) =>
  withSearch(`${homePath(tenant)}/approvals/${segment(approvalId)}`, search)

export type ExecutionTab = 'timeline' | 'inputs' | 'waits' | 'trace' | 'evidence'
/** `status`: a state, or `under-way` for all states that can still change. The others are those of executions.list. */
export type ExecutionsSearch = {
  q?: string
  status?: string
  agentId?: string
  environment?: string
  startedBy?: string
  from?: string
  to?: string
  sort?: string
}
export const executionsPath = (tenant: string, search: ExecutionsSearch = {}) =>
  withSearch(`${homePath(tenant)}/executions`, search)
export const newExecutionPath = (tenant: string, search: { agentId?: string } = {}) =>
  withSearch(`${homePath(tenant)}/executions/new`, search)
export const executionPath = (tenant: string, executionId: string, search: { tab?: ExecutionTab } = {}) =>
  withSearch(`${homePath(tenant)}/executions/${segment(executionId)}`, search)

export type TraceSearch = {
  span?: string
  view?: string
  q?: string
  kind?: string
  status?: string
  from?: number
  to?: number
  live?: string
}
export type TraceListSearch = {
  text?: string
  agentId?: string
  status?: string
  kind?: string
  from?: string
  to?: string
}
export const tracesPath = (tenant: string, search: TraceListSearch = {}) =>
  withSearch(`${homePath(tenant)}/traces`, search)
export const tracePath = (tenant: string, traceId: string, search: TraceSearch = {}) =>
  withSearch(`${homePath(tenant)}/traces/${segment(traceId)}`, search)
/** `with`: the other trace; without it, the page offers some. */
export const compareTracesPath = (tenant: string, traceId: string, search: { with?: string } = {}) =>
  withSearch(`${tracePath(tenant, traceId)}/compare`, search)

export const evidencePath = (tenant: string) => `${homePath(tenant)}/evidence`
/** `like`: the export whose choices the form begins with. */
export const newEvidencePath = (tenant: string, search: { like?: string } = {}) =>
  withSearch(`${homePath(tenant)}/evidence/new`, search)
export const evidenceExportPath = (tenant: string, exportId: string) =>
  `${homePath(tenant)}/evidence/${segment(exportId)}`

export type AuditSearch = { action?: string; actorId?: string; resourceId?: string; from?: string; to?: string }
export const auditPath = (tenant: string, search: AuditSearch = {}) => withSearch(`${homePath(tenant)}/audit`, search)
export const alarmsPath = (tenant: string) => `${homePath(tenant)}/alarms`
export const auditRecordPath = (tenant: string, auditId: string) => `${homePath(tenant)}/audit/${segment(auditId)}`

export const agentsPath = (tenant: string) => `${homePath(tenant)}/agents`
/** `name`: the agent's name from telemetry, for a new manifest. */
export const newAgentPath = (tenant: string, search: { name?: string } = {}) =>
  withSearch(`${homePath(tenant)}/agents/new`, search)
export const agentPath = (tenant: string, agentId: string) => `${homePath(tenant)}/agents/${segment(agentId)}`
export const compareAgentPath = (tenant: string, agentId: string, versions: { from: string; to: string }) =>
  withSearch(`${agentPath(tenant, agentId)}/compare`, versions)

export const policiesPath = (tenant: string) => `${homePath(tenant)}/policies`
/** `start`: the policy of the gallery to start from. */
export const newPolicyPath = (tenant: string, search: { start?: string } = {}) =>
  withSearch(`${homePath(tenant)}/policies/new`, search)
/** `version` is the version to show; by default the published one. */
export const policyPath = (tenant: string, policyId: string, search: { version?: number; against?: number } = {}) =>
  withSearch(`${homePath(tenant)}/policies/${segment(policyId)}`, search)
/** One decision of the decision point. */
export const decisionPath = (tenant: string, decisionId: string) =>
  `${policiesPath(tenant)}/decisions/${segment(decisionId)}`
/** `version`: the version whose text the editor starts with. */
export const editPolicyPath = (tenant: string, policyId: string, search: { version?: number } = {}) =>
  withSearch(`${policyPath(tenant, policyId)}/edit`, search)

export type AccessPage = 'members' | 'groups' | 'service-accounts' | 'connection-tokens' | 'api-keys' | 'secrets'
/** `status` filters the members, `archived` adds archived keys and secrets. */
export const accessPath = (
  tenant: string,
  page: AccessPage = 'members',
  search: { status?: string; archived?: '1' } = {},
) => withSearch(`${homePath(tenant)}/access/${page}`, search)

export type PrivacyPage = 'holds' | 'retention' | 'erasures'
export const privacyPath = (tenant: string, page: PrivacyPage = 'holds') => `${homePath(tenant)}/privacy/${page}`

export type SettingsPage = 'tenant' | 'me' | 'notifications'
export const settingsPath = (tenant: string, page: SettingsPage = 'me') => `${homePath(tenant)}/settings/${page}`
