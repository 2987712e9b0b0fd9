import { ApiError } from '#lib/errors.ts'
import { BeginConfirmationInput, BeginConfirmationOutput } from '#lib/schemas/passkeys.ts'
import { mutation } from '#server/kernel/operation.ts'
import { newChallenge, requirePerson } from './challenge.ts'
import { credentialsOf } from './credentials.ts'
import { ceremonySeconds, relyingParty } from './relying-party.ts'

/**
 * The challenge for the caller's device to sign before an operation. Permissions are checked when the operation runs.
 */
export const beginConfirmation = mutation({
  permission: 'any',
  input: BeginConfirmationInput,
  output: BeginConfirmationOutput,
  audit: ({ purpose }) => ({
    action: 'passkey.confirmation_begun',
    resource:
      purpose.act === 'approve'
        ? { type: 'approval', id: purpose.approvalId }
        : { type: 'passkey', id: purpose.act === 'remove' ? purpose.passkeyId : 'new' },
    details: { act: purpose.act },
  }),
  async run({ tx, tenant, principal, input }) {
    requirePerson(principal)
    const { id: rpId } = relyingParty()
    const allowCredentials = await credentialsOf(tx, tenant, principal)
    if (allowCredentials.length === 0)
      throw new ApiError('conflict', 'You don’t have a passkey yet. Add one in your settings first.')
    const challenge = await newChallenge(tx, tenant, principal, input.purpose)
    return {
      options: {
        rpId,
        challenge,
        timeout: ceremonySeconds * 1000,
        allowCredentials,
        userVerification: 'required' as const,
      },
    }
  },
})
