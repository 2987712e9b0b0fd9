import type { Topic } from '#lib/rules/changes.ts'
import type { ChangeRecord } from '#server/audit/change-record.ts'

/** A change before it has a position. `id` null: anything of the topic may have changed. */
export type Change = { topic: Topic; id: string | null }

/** The topic of a resource as audit records name it. What is missing here is shown nowhere but in the log. */
const topicOfResource: Record<string, Topic> = {
  access_change: 'members',
  agent: 'agents',
  alarm: 'alarms',
  approval: 'approvals',
  audit_log: 'alarms',
  connection_token: 'connectionTokens',
  delegation: 'delegations',
  erasure: 'erasures',
  evidence_export: 'evidence',
  execution: 'executions',
  group: 'groups',
  hold: 'holds',
  input_event: 'inputs',
  input_resolution: 'inputs',
  input_wait: 'inputs',
  mail: 'mails',
  member: 'members',
  notification: 'notifications',
  notification_channel: 'notifications',
  policy: 'policies',
  policy_binding: 'policyBindings',
  policy_decision: 'policies',
  release: 'releases',
  secret: 'secrets',
  service_account: 'serviceAccounts',
  tenant: 'tenants',
  trace: 'traces',
}

/** Topics with changes that no audit record names: their channel reports them, and a gap can't be replayed. */
export const unloggedTopics: readonly Topic[] = ['executions', 'notifications', 'seals', 'traces']

/** The changes that a record reports: in the log itself, and in the resource unless the operation was refused. */
export function changesOf({ action, auditId, resourceType, resourceId }: ChangeRecord): Change[] {
  const changes: Change[] = [{ topic: 'audit', id: auditId }]
  const topic = topicOfResource[resourceType]
  if (topic === undefined || action.endsWith('.refused') || isOfManyRows(action, resourceType)) return changes
  // A broken log is named by its record, which has the alarm's id.
  changes.push({ topic, id: resourceType === 'audit_log' ? auditId : resourceId })
  return [...changes, ...consequences(topic, action).map((consequence) => ({ topic: consequence, id: null }))]
}

/** Commits to rows of several objects, under the tenant's name. Where they matter to a topic, the same commit has a record of its own. */
const isOfManyRows = (action: string, resourceType: string) => action === 'state.recorded' && resourceType === 'tenant'

/** Topics that a record changes without naming their resource. */
function consequences(topic: Topic, action: string): Topic[] {
  // Input is requested and applied under the execution's name.
  if (topic === 'executions' && action.startsWith('input.')) return ['inputs']
  // The delivery of a mail is also shown with the input that it requests.
  if (topic === 'mails') return ['inputs']
  // Who can decide a request depends on roles, groups, the tenant's rules, and who is absent.
  if (topic === 'members' || topic === 'groups' || topic === 'tenants' || topic === 'delegations') return ['approvals']
  // Disabling an account revokes its tokens.
  if (topic === 'serviceAccounts') return ['connectionTokens']
  // A suspension stops the deadlines of everything that waits for the agent's executions.
  if (topic === 'agents' && action !== 'agent.registered') return ['executions', 'approvals', 'inputs']
  return []
}
