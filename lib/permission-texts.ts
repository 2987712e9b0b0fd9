import type { Permission, Role } from './permissions.ts'

/** What a permission allows, to complete "You can …". */
export const permissionText: Record<Permission, string> = {
  'agent:read': 'see agents and their manifests',
  'agent:create': 'register agents and new versions of them',
  'agent:operate': 'suspend, resume and retire agents',
  'release:read': 'see releases',
  'release:propose': 'propose a version for release in an environment',
  'release:revoke': 'revoke releases',
  'binding:propose': 'propose which policies govern an agent',
  'binding:revoke': 'revoke policy bindings',
  'policy:read': 'see policies and their bindings',
  'policy:author': 'write and publish policies, and simulate drafts',
  'execution:read': 'see executions, their steps and files',
  'execution:start': 'start executions, and ask for decisions on behalf of agents',
  'execution:cancel': 'cancel executions',
  'input:submit': 'send events and files that executions wait for',
  'input:read': 'see received events and open waits',
  'input:manage': 'cancel waits and retry deliveries',
  'approval:list': 'see decision requests and their outcomes',
  'approval:decide': 'decide requests of their approver groups',
  'trace:read': 'see traces with sensitive values masked',
  'trace:verify': 'verify records against the sealed log',
  'trace:unmask': 'unmask sensitive values of a trace, for a stated purpose',
  'telemetry:write': 'send telemetry',
  'metrics:read': 'read the server’s metrics',
  'audit:read': 'read the audit log',
  'evidence:export': 'create evidence exports',
  'evidence:list': 'list evidence exports',
  'evidence:read': 'open and download evidence exports',
  'evidence:raw': 'include raw payloads in evidence exports',
  'hold:manage': 'set and release legal holds',
  'subject:erase': 'erase the data of a person',
  'tenant:manage': 'change the branding and settings of the organisation',
  'member:manage': 'invite, change and remove members and approver groups',
  'service-account:manage': 'create, rotate and disable service accounts, and their connection tokens',
  'secret:create': 'create API keys and secrets',
  'secret:read': 'list API keys and secrets',
  'secret:read_value': 'read the value of a secret, which is recorded',
  'secret:revoke': 'revoke and archive API keys and secrets',
}

/** The purpose of a role, in one line. */
export const roleText: Record<Role, string> = {
  viewer: 'Sees agents, policies, executions, requests and traces.',
  developer: 'Registers agents, proposes releases and bindings, writes policies, starts executions.',
  operator: 'Starts and cancels executions, manages inputs, suspends agents, revokes releases.',
  approver: 'Decides requests of their approver groups.',
  auditor: 'Reads and verifies the audit log, creates evidence exports, sets legal holds.',
  privacy_officer: 'Unmasks sensitive values for a stated purpose, and erases the data of a person.',
  tenant_admin: 'Manages members, service accounts, secrets and settings.',
  'decisions:read': 'Sees decision requests.',
  'decisions:write': 'Sees decision requests, and decides them where machines are allowed to.',
  'traces:write': 'Sends telemetry and sees traces.',
  'evidence:read': 'Lists and downloads evidence exports.',
}

/** Roles for people, in display order. */
export const personRoles: readonly Role[] = [
  'viewer',
  'developer',
  'operator',
  'auditor',
  'approver',
  'privacy_officer',
  'tenant_admin',
]

/** "privacy_officer" → "Privacy officer"; a name with a colon is shown as it appears in tokens. */
export function roleName(role: string): string {
  if (role.includes(':')) return role
  const words = role.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
