import { notFound } from '#lib/errors.ts'
import { CreateHoldInput, CreateHoldOutput } from '#lib/schemas/privacy.ts'
import { newId } from '#server/kernel/ids.ts'
import { mutation } from '#server/kernel/operation.ts'
import { findTrace } from '#server/traces/store.ts'
import { insertHold } from './store.ts'

/** holds.create: data under the hold is neither erased nor deleted by age until the hold is released. */
export const createHold = mutation({
  permission: 'hold:manage',
  input: CreateHoldInput,
  output: CreateHoldOutput,
  audit: ({ reason, ...covers }, output) => ({
    action: 'hold.created',
    resource: { type: 'hold', id: output?.holdId ?? 'new' },
    reason,
    details: Object.fromEntries(Object.entries(covers).filter(([, value]) => value !== undefined)),
  }),
  async run({ tx, tenant, principal, input }) {
    if (input.traceId !== undefined && (await findTrace(tx, tenant.id, input.traceId)) === undefined) throw notFound()
    const id = newId()
    await insertHold(tx, {
      tenantId: tenant.id,
      id,
      traceId: input.traceId ?? null,
      fromDay: input.from ?? null,
      toDay: input.to ?? null,
      reason: input.reason,
      createdBy: principal.memberId,
    })
    return { holdId: id, revision: 1 }
  },
})
