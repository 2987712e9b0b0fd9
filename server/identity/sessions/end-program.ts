import { EndedPrograms, EndProgramInput } from '#lib/schemas/sessions.ts'
import { endGrant } from '#server/identity/artifacts/adapter.ts'
import { mutation } from '#server/kernel/operation.ts'
import { ownAccount } from './own-sessions.ts'
import { programsOf } from './programs.ts'
import { findSessions } from './store.ts'

/**
 * sessions.endProgram: ends what a program of another vendor may do in the caller's name through one of their sessions, with its tokens.
 * The session and its other applications stay. One that does not have access has the answer of `sessions.end`: none ended.
 */
export const endProgram = mutation({
  permission: 'any',
  input: EndProgramInput,
  output: EndedPrograms,
  audit: ({ id, clientId }) => ({
    action: 'session.program_ended',
    resource: { type: 'session', id },
    details: { clientId },
  }),
  async run({ tx, tenant, principal, input: { id, clientId }, note }) {
    const account = ownAccount(tenant, principal)
    const [session] = account === undefined ? [] : await findSessions(tx, account, { uid: id })
    const programs = session === undefined ? [] : (await programsOf(tx, tenant.id, [session]))(session)
    const program = programs.find((one) => one.clientId === clientId)
    const grant = program && session?.grants[clientId]
    if (grant !== undefined) await endGrant(tx, tenant.id, grant)
    const ended = grant === undefined ? 0 : 1
    note({ ended, ...(program?.name == null ? {} : { name: program.name }) })
    return { ended }
  },
})
