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
  release: 'releases',
  secret: 'secrets',
  service_account: 'serviceAccounts',
  standing_grant: 'standingGrants',
  tenant: 'tenants',
  trace: 'traces',
}

/** Topics with changes that no audit record names: their channel reports them, and a gap can't be replayed. */
export const unloggedTopics: readonly Topic[] = ['executions', 'notifications', 'seals', 'traces']

/** What these records name was looked at or used, and is as it was. Some are written at each call of an agent. */
const isUse = (action: string): boolean =>
  action === 'prompt.read' || action === 'resource.read' || /^secret\.(?:value_)?(?:read|used)$/.test(action)

/** The changes that a record reports: in the log itself, and in the resource unless the operation was refused. */
export function changesOf(record: ChangeRecord): Change[] {
  const { action, auditId, resourceType, resourceId, approvalId } = record
  const changes: Change[] = [{ topic: 'audit', id: auditId }]
  if (action.endsWith('.refused') || isUse(action) || isOfManyRows(action, resourceType)) return changes
  if (approvalId !== null) changes.push({ topic: 'approvals', id: approvalId })
  const topic = topicOfResource[resourceType]
  // A broken log is named by its record, which has the alarm's id.
  if (topic !== undefined) changes.push({ topic, id: resourceType === 'audit_log' ? auditId : resourceId })
  const others = topic === undefined ? unnamed(record) : consequences(topic, action)
  return [...changes, ...others.map((consequence) => ({ topic: consequence, id: null }))]
}

/** Commits to rows of several objects, under the tenant's name. Where they matter to a topic, the same commit has a record of its own. */
const isOfManyRows = (action: string, resourceType: string) => action === 'state.recorded' && resourceType === 'tenant'

/** Topics that a record changes although its resource is in none. */
function unnamed({ action, resourceType, approvalId }: ChangeRecord): Topic[] {
  // Its people gain or lose the seats of mapped groups.
  if (resourceType === 'provider_group') return ['groups', 'approvals', 'standingGrants']
  // Whether a person has one is shown with the member, and decides who can approve.
  if (action === 'passkey.registered' || action === 'passkey.removed') return ['members', 'approvals']
  // The new request may supersede another, which then names it.
  if (action === 'policy.approval_requested' && approvalId !== null) return ['approvals']
  return []
}

/** Topics that a record changes without naming their resource. A standing grant lapses with what it was given for. */
function consequences(topic: Topic, action: string): Topic[] {
  // A proposal that is withdrawn cancels its request.
  const requests: Topic[] = action.endsWith('.withdrawn') ? ['approvals'] : []
  switch (topic) {
    case 'agents':
      // A suspension stops the deadlines of everything that waits for the agent's executions.
      return action === 'agent.registered' ? [] : ['executions', 'approvals', 'inputs', 'standingGrants']
    case 'connectionTokens':
      return ['serviceAccounts']
    case 'delegations':
    case 'tenants':
      // Who can decide a request depends on roles, groups, the tenant's rules, and who is absent.
      return ['approvals']
    case 'groups':
      return ['approvals', 'standingGrants']
    case 'executions':
      // Input is requested and applied under the execution's name, and an execution that ends takes its waits with it.
      return action.startsWith('input.') || isEnd(action) ? ['inputs'] : []
    case 'mails':
      // The delivery is also shown with the input that it requests.
      return ['inputs']
    case 'members':
      // A program is a member, too, whose tokens end with its roles.
      return ['approvals', 'standingGrants', 'serviceAccounts', 'connectionTokens']
    case 'policyBindings':
      // The page of a release names the policies in force.
      return ['releases', 'standingGrants', ...requests]
    case 'releases':
      return ['agents', 'standingGrants', ...requests]
    case 'serviceAccounts':
      // Disabling an account revokes its tokens.
      return ['connectionTokens']
    case 'standingGrants':
      // A page of the version before follows grants as approvals.
      return action === 'standing_grant.used' ? [] : ['approvals']
    default:
      return []
  }
}

/** Whether the record of an execution may say that it has ended. Most say that it began. */
const isEnd = (action: string): boolean =>
  action.startsWith('execution.') && action !== 'execution.started' && action !== 'execution.running'
