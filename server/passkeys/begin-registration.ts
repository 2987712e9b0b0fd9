import { ApiError } from '#lib/errors.ts'
import { maxPasskeys } from '#lib/rules/passkeys.ts'
import { BeginRegistrationOutput } from '#lib/schemas/passkeys.ts'
import { mutation, noInput } from '#server/kernel/operation.ts'
import { newChallenge, requirePerson } from './challenge.ts'
import { credentialsOf } from './credentials.ts'
import { algorithms, ceremonySeconds, relyingParty } from './relying-party.ts'

/** The options for a device to create a passkey of the caller. */
export const beginRegistration = mutation({
  permission: 'any',
  input: noInput,
  output: BeginRegistrationOutput,
  audit: () => ({ action: 'passkey.registration_begun', resource: { type: 'passkey', id: 'new' } }),
  async run({ tx, tenant, principal }) {
    requirePerson(principal)
    const { id, name } = relyingParty()
    const excludeCredentials = await credentialsOf(tx, tenant, principal)
    if (excludeCredentials.length >= maxPasskeys)
      throw new ApiError('conflict', `You already have ${maxPasskeys} passkeys. Remove one first.`)
    return {
      options: {
        rp: { id, name },
        // A person is a different member in each tenant; the device distinguishes them by this id and by the name.
        user: {
          id: Buffer.from(principal.memberId.replaceAll('-', ''), 'hex').toString('base64url'),
          name: `${principal.username} (${tenant.displayName})`,
          displayName: principal.displayName,
        },
        challenge: await newChallenge(tx, tenant, principal, { act: 'create' }),
        pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key' as const, alg })),
        timeout: ceremonySeconds * 1000,
        excludeCredentials,
        authenticatorSelection: { residentKey: 'preferred' as const, userVerification: 'required' as const },
        attestation: 'none' as const,
      },
      confirmationNeeded: excludeCredentials.length > 0,
    }
  },
})
