import { notFound } from '#lib/errors.ts'
import { PasskeyOutput, RemovePasskeyInput } from '#lib/schemas/passkeys.ts'
import { mutation } from '#server/kernel/operation.ts'
import { requirePerson } from './challenge.ts'
import { confirmWithPasskey } from './confirm.ts'
import { deletePasskey } from './store.ts'
import { passkeyView } from './view.ts'

/**
 * Removes one of the caller's passkeys, confirmed by one of them. Without that, a stolen session could remove them all
 * and register its own. For lost devices there is members.resetPassword.
 */
export const remove = mutation({
  permission: 'any',
  input: RemovePasskeyInput,
  output: PasskeyOutput,
  audit: ({ id }, output) => ({
    action: 'passkey.removed',
    resource: { type: 'passkey', id },
    details: output && { name: output.passkey.name },
  }),
  async run({ tx, tenant, principal, input: { id, confirmation } }) {
    requirePerson(principal)
    await confirmWithPasskey(tx, { tenant, principal }, { act: 'remove', passkeyId: id }, confirmation)
    const removed = await deletePasskey(tx, tenant.id, principal.memberId, id)
    if (removed === undefined) throw notFound()
    return { passkey: passkeyView(removed) }
  },
})
