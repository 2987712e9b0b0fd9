import { EndedSessions, EndSessionInput } from '#lib/schemas/sessions.ts'
import { mutation } from '#server/kernel/operation.ts'
import { endSession } from './end-session.ts'
import { ownAccount } from './own-sessions.ts'
import { findSessions } from './store.ts'

/**
 * sessions.end: signs the caller out of one of their own sessions. One that has ended, that never existed, and that of another
 * person have the same answer: none ended.
 */
export const end = mutation({
  permission: 'any',
  input: EndSessionInput,
  output: EndedSessions,
  audit: ({ id }) => ({ action: 'session.ended', resource: { type: 'session', id } }),
  async run({ tx, tenant, principal, input: { id }, note }) {
    const account = ownAccount(tenant, principal)
    const [session] = account === undefined ? [] : await findSessions(tx, account, { uid: id })
    const ended = session === undefined ? 0 : 1
    if (session !== undefined) await endSession(tx, tenant.id, session)
    note({ ended })
    return { ended }
  },
})
