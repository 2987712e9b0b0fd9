import { permissionsOf } from '#lib/permissions.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute, type Operation } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { findMemberByUsername } from '#server/tenants/store.ts'

/** A member of a demo tenant as the transports would make them. */
export const callerOf = (tenantId: string, username: string): Promise<Caller> =>
  runtime().database.inTenant(tenantId, async (tx) => {
    const tenant = await tenantById(tx, tenantId)
    const member = await findMemberByUsername(tx, tenant.id, username)
    return {
      tenant,
      requestId: newId(),
      principal: {
        memberId: member.id,
        kind: member.kind === 'person' ? 'person' : 'service_account',
        issuer: member.issuer,
        subject: member.subject,
        username: member.username,
        displayName: member.displayName,
        roles: member.roles,
        permissions: permissionsOf(member.roles),
        expiresAt: Date.now() + 60_000,
      },
    }
  })

export const call = <I, O>(operation: Operation<I, O>, caller: Caller, name: string, input: unknown): Promise<O> =>
  execute(operation, { ...caller, requestId: newId() }, input, { name })
