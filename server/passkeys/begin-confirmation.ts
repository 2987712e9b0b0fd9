import { ApiError } from '#lib/errors.ts'
import { BeginConfirmationInput, BeginConfirmationOutput } from '#lib/schemas/passkeys.ts'
import { mutation } from '#server/kernel/operation.ts'
import { newChallenge, requirePerson } from './challenge.ts'
import { credentialsOf } from './credentials.ts'
import { ceremonySeconds, relyingParty } from './relying-party.ts'

/** What the caller's device is to sign, so that they can do one act. Whether they may is asked when they do it. */
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
      throw new ApiError('conflict', 'You have no passkey. Add one in your settings first.')
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
