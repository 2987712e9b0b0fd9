import type { Permission, Role } from './permissions.ts'

/** What a permission lets its holder do, as the end of "You can …". */
export const permissionText: Record<Permission, string> = {
  'agent:read': 'see agents and their manifests',
  'agent:create': 'register agents and new versions of them',
  'agent:operate': 'suspend, resume and retire agents',
  'release:read': 'see releases',
  'release:propose': 'propose that a version runs in an environment',
  'release:revoke': 'revoke releases',
  'binding:propose': 'propose which policy decides for an agent',
  'binding:revoke': 'revoke policy bindings',
  'policy:read': 'see policies and where they are bound',
  'policy:author': 'write and publish policies, and simulate drafts',
  'execution:read': 'see executions, their steps and files',
  'execution:start': 'start executions, and ask for decisions on behalf of agents',
  'execution:cancel': 'cancel executions',
  'input:submit': 'send events and files that executions wait for',
  'input:read': 'see received events and open waits',
  'input:manage': 'cancel waits and retry deliveries',
  'approval:list': 'see decision requests and what was decided',
  'approval:decide': 'decide requests of the approver groups that they belong to',
  'trace:read': 'see traces, sensitive values masked',
  'trace:verify': 'verify records against the sealed log',
  'trace:unmask': 'see sensitive values of a trace in clear, for a stated purpose',
  'telemetry:write': 'send telemetry',
  'metrics:read': 'read the server’s metrics',
  'audit:read': 'read the audit log',
  'evidence:export': 'make evidence exports',
  'evidence:list': 'see the list of evidence exports',
  'evidence:read': 'open and download evidence exports',
  'evidence:raw': 'include raw payloads in evidence exports',
  'hold:manage': 'set and release legal holds',
  'subject:erase': 'erase what is kept of a person',
  'tenant:manage': 'change branding and settings of the organisation',
  'member:manage': 'invite, change and remove members and approver groups',
  'service-account:manage': 'make, rotate and disable service accounts',
  'secret:create': 'make API keys and secrets',
  'secret:read': 'see which API keys and secrets there are',
  'secret:read_value': 'read the value of a secret, which is recorded',
  'secret:revoke': 'revoke and archive API keys and secrets',
}

/** What a role is for, in one line. */
export const roleText: Record<Role, string> = {
  viewer: 'Sees agents, policies, executions, requests and traces.',
  developer: 'Registers agents, proposes releases and bindings, writes policies, starts executions.',
  operator: 'Starts and cancels executions, manages inputs, suspends agents, revokes releases.',
  approver: 'Decides requests of the approver groups that they belong to.',
  auditor: 'Reads the audit log, verifies it, makes evidence exports, sets legal holds.',
  privacy_officer: 'Sees sensitive values in clear for a purpose, and erases what is kept of a person.',
  tenant_admin: 'Manages members, service accounts, secrets and settings.',
  'decisions:read': 'Sees decision requests.',
  'decisions:write': 'Sees decision requests, and decides them where machines may.',
  'traces:write': 'Sends telemetry and sees traces.',
  'evidence:read': 'Lists and downloads evidence exports.',
}

/** Roles in the order in which people are given them. */
export const personRoles: readonly Role[] = [
  'viewer',
  'developer',
  'operator',
  'auditor',
  'approver',
  'privacy_officer',
  'tenant_admin',
]

/** "privacy_officer" → "Privacy officer"; a name with a colon stays as it is written in tokens. */
export function roleName(role: string): string {
  if (role.includes(':')) return role
  const words = role.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
