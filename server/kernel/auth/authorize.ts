import { ApiError } from '#lib/errors.ts'
import type { Permission } from '#lib/permissions.ts'
import { accessDenied } from './access-denied.ts'
import type { Caller } from './principal.ts'

const checked = Symbol('authorized')

/** A caller with the permission of one operation. Only `authorize` makes one, so nothing runs without it. */
export type Authorized<O> = { readonly caller: Caller; readonly operation: O; readonly [checked]: true }

/**
 * The one permission check of a call, on every transport: before anything is parsed, so that validation tells a stranger
 * nothing. Throws 403.
 */
export function authorize<O extends { permission: Permission | 'any' }>(caller: Caller, operation: O): Authorized<O> {
  const { permission } = operation
  if (permission !== 'any' && !caller.principal.permissions.has(permission))
    throw new ApiError('forbidden', `This needs the permission ${permission}.`, { details: { permission } })
  return { caller, operation, [checked]: true }
}

/** The input may name the tenant that the call works in, and no other: a call of a batch selects none by it. */
export function requireNamedTenant(field: string | undefined, { tenant }: Caller, input: unknown): void {
  if (field === undefined) return
  const named: unknown = Reflect.get(Object(input), field)
  if (named !== undefined && named !== tenant.externalId) throw accessDenied()
}
