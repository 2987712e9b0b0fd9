import { ApiError } from '#lib/errors.ts'
import { type Permission, rolesWith } from '#lib/permissions.ts'
import type { ConnectionUse } from '#lib/schemas/connection-tokens.ts'
import { TenantSettings } from '#lib/schemas/tenants.ts'
import { accessDenied } from './access-denied.ts'
import { namesAt } from './effective-roles.ts'
import type { Caller } from './principal.ts'

const checked = Symbol('authorized')

/**
 * A caller with the permission for one operation. Only `authorize` creates it, so no operation runs without the check.
 */
export type Authorized<O> = { readonly caller: Caller; readonly operation: O; readonly [checked]: true }

/**
 * `connectionTokens`: the tokens of this use reach the operation, if their account has its permission.
 * `onlyConnectionTokens`: no other credential does.
 */
export type Connected = { connectionTokens?: ConnectionUse; onlyConnectionTokens?: true }

type Guarded = Connected & {
  permission: Permission | 'any'
  permissionForOwn?: Permission
  kind?: string
  apiKeys?: true
}

/**
 * A scope of an API key grants one operation, not everything that needs the same permission; what needs none is open for
 * reading, so that a program can find out which tenant its key belongs to.
 */
export const isForApiKeys = ({ permission, kind, apiKeys }: Guarded): boolean =>
  apiKeys === true || (permission === 'any' && kind === 'query')

/**
 * The only permission check of a call, on every transport. It comes before any parsing, so that validation reveals
 * nothing to callers without the permission. Throws 403.
 */
export function authorize<O extends Guarded>(caller: Caller, operation: O): Authorized<O> {
  const { permission, permissionForOwn } = operation
  const { permissions, connection, clientId } = caller.principal
  if (connection !== undefined && operation.connectionTokens !== connection.use)
    throw new ApiError('forbidden', `A connection token for ${connection.use} can’t call this operation.`)
  if (connection === undefined && operation.onlyConnectionTokens === true)
    throw new ApiError(
      'forbidden',
      `Only a connection token for ${operation.connectionTokens} can call this operation.`,
    )
  if (clientId !== undefined && operation.connectionTokens !== 'gateway')
    throw new ApiError('forbidden', 'A token of this client can’t call this operation.')
  const mayForOwn = permissionForOwn !== undefined && permissions.has(permissionForOwn)
  if (permission !== 'any' && !permissions.has(permission) && !mayForOwn)
    throw new ApiError('forbidden', `This requires the permission ${permission}.${tokenHint(caller, permission)}`, {
      details: { permission },
    })
  if (caller.principal.kind === 'api_key' && !isForApiKeys(operation))
    throw new ApiError(
      'forbidden',
      'API keys can’t call this operation: their scopes grant approvals.getPending alone.',
    )
  return { caller, operation, [checked]: true }
}

/** What the token of another identity provider would have to name, for the person who sets up the provider. */
function tokenHint({ tenant, principal: { token } }: Caller, permission: Permission): string {
  if (token?.claims === undefined) return ''
  const { roleClaim } = TenantSettings.parse(tenant.settings)
  const names = namesAt(token.claims, roleClaim).slice(0, 20)
  const roles = new Intl.ListFormat('en', { type: 'disjunction' }).format(rolesWith(permission))
  return ` It comes with the role ${roles}. In your token, the claim ${roleClaim} names ${names.length === 0 ? 'no roles' : names.join(', ')}.`
}

/** The input may name only the tenant of the call: a call of a batch can't select a tenant by its input. */
export function requireNamedTenant(field: string | undefined, { tenant }: Caller, input: unknown): void {
  if (field === undefined) return
  const named: unknown = Reflect.get(Object(input), field)
  if (named !== undefined && named !== tenant.externalId) throw accessDenied()
}
