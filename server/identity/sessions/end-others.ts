import { ApiError } from '#lib/errors.ts'
import { EndedSessions } from '#lib/schemas/sessions.ts'
import { mutation, noInput } from '#server/kernel/operation.ts'
import { endSession } from './end-session.ts'
import { isCurrent, ownAccount } from './own-sessions.ts'
import { findSessions } from './store.ts'

/** sessions.endOthers: signs the caller out everywhere except in the session of this call's token. */
export const endOthers = mutation({
  permission: 'any',
  input: noInput,
  output: EndedSessions,
  audit: (_input, output) => ({
    action: 'session.others_ended',
    resource: { type: 'session', id: 'others' },
    ...(output && { details: output }),
  }),
  async run({ tx, tenant, principal }) {
    const account = ownAccount(tenant, principal)
    const all = account === undefined ? [] : await findSessions(tx, account)
    if (all.length > 0 && !all.some(({ grants }) => isCurrent(principal, grants)))
      throw new ApiError('conflict', 'Your token does not belong to one of your sessions. Sign in again.')
    const others = all.filter(({ grants }) => !isCurrent(principal, grants))
    for (const session of others) await endSession(tx, tenant.id, session)
    return { ended: others.length }
  },
})
