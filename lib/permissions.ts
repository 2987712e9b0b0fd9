/** Permissions and the roles that include them. Shared, so that the console can say why a control is blocked. */
const viewer = ['agent:read', 'release:read', 'policy:read', 'execution:read', 'approval:list', 'trace:read'] as const

export const rolePermissions = {
  'decisions:read': ['approval:list'],
  'decisions:write': ['approval:list', 'approval:decide'],
  'traces:write': ['telemetry:write', 'trace:read'],
  'evidence:read': ['evidence:list', 'evidence:read'],
  viewer,
  developer: [
    ...viewer,
    'agent:create',
    'release:propose',
    'binding:propose',
    'policy:author',
    'execution:start',
    'input:submit',
  ],
  operator: [
    ...viewer,
    'execution:start',
    'execution:cancel',
    'input:submit',
    'input:read',
    'input:manage',
    'agent:operate',
    'release:revoke',
    'binding:revoke',
    'metrics:read',
  ],
  approver: [...viewer, 'approval:decide', 'trace:verify'],
  auditor: [
    ...viewer,
    'audit:read',
    'trace:verify',
    'evidence:export',
    'evidence:list',
    'evidence:read',
    'secret:read',
    'hold:manage',
  ],
  privacy_officer: ['trace:read', 'trace:unmask', 'evidence:raw', 'subject:erase', 'audit:read'],
  tenant_admin: [
    ...viewer,
    'tenant:manage',
    'member:manage',
    'service-account:manage',
    'secret:create',
    'secret:read',
    'secret:read_value',
    'secret:revoke',
    'audit:read',
  ],
} as const

export type Role = keyof typeof rolePermissions
export type Permission = (typeof rolePermissions)[Role][number]
export const roleNames = Object.keys(rolePermissions) as [Role, ...Role[]]

const isRole = (name: string): name is Role => Object.hasOwn(rolePermissions, name)

/** The permissions of a set of role names; an unknown name grants nothing. */
export function permissionsOf(roles: Iterable<string>): Set<Permission> {
  const permissions = new Set<Permission>()
  for (const role of roles)
    if (isRole(role)) for (const permission of rolePermissions[role]) permissions.add(permission)
  return permissions
}

/** Roles that include `permission`, for sentences about who can act. */
export const rolesWith = (permission: Permission): Role[] =>
  (Object.keys(rolePermissions) as Role[]).filter((role) =>
    (rolePermissions[role] as readonly string[]).includes(permission),
  )

/** The roles that include a permission, in words. Roles of machines, named like scopes, are listed only if no other role includes it. */
export function rolesToAskFor(permission: Permission): string[] {
  const roles = rolesWith(permission)
  const ofPeople = roles.filter((role) => !role.includes(':'))
  return (ofPeople.length === 0 ? roles : ofPeople).map((role) => role.replaceAll('_', ' '))
}

const longNames: Readonly<Record<string, string>> = { 'tenant admin': 'tenant administrator' }

/** "a developer or an operator": the people whose roles include a permission. */
export function peopleWith(permission: Permission): string {
  const names = rolesToAskFor(permission).map((role) => {
    const name = longNames[role] ?? role
    return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`
  })
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}
