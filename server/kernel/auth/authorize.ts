import { ApiError } from '#lib/errors.ts'
import type { Permission } from '#lib/permissions.ts'
import { accessDenied } from './access-denied.ts'
import type { Caller } from './principal.ts'

const checked = Symbol('authorized')

/**
 * A caller with the permission for one operation. Only `authorize` creates it, so no operation runs without the check.
 */
export type Authorized<O> = { readonly caller: Caller; readonly operation: O; readonly [checked]: true }

/**
 * The only permission check of a call, on every transport. It comes before any parsing, so that validation reveals
 * nothing to callers without the permission. Throws 403.
 */
export function authorize<O extends { permission: Permission | 'any' }>(caller: Caller, operation: O): Authorized<O> {
  const { permission } = operation
  if (permission !== 'any' && !caller.principal.permissions.has(permission))
    throw new ApiError('forbidden', `This requires the permission ${permission}.`, { details: { permission } })
  return { caller, operation, [checked]: true }
}

/** The input may name only the tenant of the call: a call of a batch can't select a tenant by its input. */
export function requireNamedTenant(field: string | undefined, { tenant }: Caller, input: unknown): void {
  if (field === undefined) return
  const named: unknown = Reflect.get(Object(input), field)
  if (named !== undefined && named !== tenant.externalId) throw accessDenied()
}
