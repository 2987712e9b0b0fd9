import { RevokeConnectionTokenInput, RevokeConnectionTokenOutput } from '#lib/schemas/connection-tokens.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { mutation } from '#server/kernel/operation.ts'
import { setRevoked } from './store.ts'
import { tokenView } from './view.ts'

/** Revokes a connection token, permanently and from the next request. Repeating it has no effect. Throws `not_found`. */
export const revoke = mutation({
  permission: 'service-account:manage',
  input: RevokeConnectionTokenInput,
  output: RevokeConnectionTokenOutput,
  audit: ({ id }, output) => ({
    action: 'connection_token.revoked',
    resource: { type: 'connection_token', id },
    details: output && { name: output.connectionToken.name, status: output.connectionToken.status },
  }),
  async run({ tx, tenant, input, repeated }) {
    const memberId = await setRevoked(tx, tenant.id, input.id)
    if (memberId === undefined) repeated()
    // Streams that the token opened end now.
    else notify(tx, 'member', memberId)
    return { id: input.id, connectionToken: await tokenView(tx, tenant.id, input.id) }
  },
})
