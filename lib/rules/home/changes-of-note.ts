import type { Permission } from '#lib/permissions.ts'

/**
 * Acts that change what agents may do, or who may do what, by their names in audit records, and the permission that is needed
 * to see that they happened: the one for their object, or else the one for the audit log.
 */
export const changesOfNote = {
  'agent.registered': 'agent:read',
  'agent.suspended': 'agent:read',
  'agent.resumed': 'agent:read',
  'agent.retired': 'agent:read',
  'release.activated': 'release:read',
  'release.revoked': 'release:read',
  'policy_version.published': 'policy:read',
  'policy_binding.activated': 'policy:read',
  'policy_binding.revoked': 'policy:read',
  'standing_grant.activated': 'approval:list',
  'standing_grant.revoked': 'approval:list',
  'member.invited': 'audit:read',
  'member.roles_granted': 'audit:read',
  'member.roles_set': 'audit:read',
  'member.suspended': 'audit:read',
  'member.resumed': 'audit:read',
  'member.removed': 'audit:read',
  'group.members_set': 'audit:read',
  'tenant.settings_updated': 'audit:read',
  'tenant.settings_set': 'audit:read',
  'service_account.created': 'audit:read',
  'service_account.disabled': 'audit:read',
  'secret.created': 'audit:read',
  'secret.api_key_created': 'audit:read',
  'secret.revoked': 'audit:read',
  'connection_token.created': 'audit:read',
  'connection_token.revoked': 'audit:read',
  'hold.created': 'audit:read',
  'hold.released': 'audit:read',
  'log_key.rotated': 'audit:read',
} as const satisfies Record<string, Permission>

export type ChangeOfNote = keyof typeof changesOfNote
export const changeNames = Object.keys(changesOfNote) as [ChangeOfNote, ...ChangeOfNote[]]
