import type { Permission } from '#lib/permissions.ts'

/**
 * What changes.stream reports on, and which permissions let a caller follow it: any one of them. 'any' is every member.
 * Where a reader sees only a part (`evidence` with evidence:export alone: their own exports), the server leaves out the rest.
 */
export const topicPermissions = {
  agents: ['agent:read'],
  alarms: ['audit:read'],
  approvals: ['approval:list'],
  audit: ['audit:read'],
  connectionTokens: ['service-account:manage'],
  delegations: ['approval:decide'],
  erasures: ['subject:erase'],
  evidence: ['evidence:list', 'evidence:export'],
  executions: ['execution:read'],
  groups: ['member:manage'],
  holds: ['hold:manage'],
  /** Waits for input, received input and its deliveries. */
  inputs: ['input:read', 'execution:read'],
  mails: ['approval:list'],
  members: ['member:manage'],
  /** Channels, and what is sent over them. */
  notifications: ['tenant:manage'],
  policies: ['policy:read'],
  policyBindings: ['policy:read'],
  releases: ['release:read'],
  /** Signed checkpoints of the audit log, without which a record's seal is pending. */
  seals: 'any',
  secrets: ['secret:read'],
  serviceAccounts: ['service-account:manage'],
  standingGrants: ['approval:list'],
  tenants: 'any',
  traces: ['trace:read'],
} as const satisfies Record<string, 'any' | readonly Permission[]>

export type Topic = keyof typeof topicPermissions
export const topicNames = Object.keys(topicPermissions) as [Topic, ...Topic[]]

export function mayFollow(topic: Topic, can: (permission: Permission) => boolean): boolean {
  const needed: 'any' | readonly Permission[] = topicPermissions[topic]
  return needed === 'any' || needed.some(can)
}
