import { ApiError } from '#lib/errors.ts'
import { type Attestation, FinishRegistrationInput, PasskeyOutput, Transport } from '#lib/schemas/passkeys.ts'
import { newId } from '#server/kernel/ids.ts'
import { mutation } from '#server/kernel/operation.ts'
import { requirePerson, spendChallenge } from './challenge.ts'
import { confirmWithPasskey } from './confirm.ts'
import { hasPasskey } from './credentials.ts'
import { algorithms, relyingParty } from './relying-party.ts'
import { insertPasskey } from './store.ts'

/**
 * Stores a passkey of the caller. An existing passkey has to confirm it, so that a stolen session alone can't add one.
 */
export const finishRegistration = mutation({
  permission: 'any',
  input: FinishRegistrationInput,
  output: PasskeyOutput,
  audit: ({ name }, output) => ({
    action: 'passkey.registered',
    resource: { type: 'passkey', id: output?.passkey.id ?? 'none' },
    details: { name, synced: output?.passkey.synced },
  }),
  async run({ tx, tenant, principal, note, input: { name, credential, confirmation } }) {
    requirePerson(principal)
    if (await hasPasskey(tx, tenant, principal))
      await confirmWithPasskey(tx, { tenant, principal }, { act: 'register' }, confirmation)
    const spent = await spendChallenge(tx, tenant, principal, credential.response.clientDataJSON, { act: 'create' })
    if (spent === undefined)
      throw new ApiError('conflict', 'This registration has already been used or has expired. Start again.')
    const made = await verify(credential, spent.challenge)
    if (made === undefined)
      throw new ApiError('bad_request', 'The device’s response is not a valid passkey for this site.', {
        issues: [{ path: 'credential', message: 'The device’s response is not a valid passkey for this site.' }],
      })
    const row = {
      tenantId: tenant.id,
      id: newId(),
      memberId: principal.memberId,
      name,
      credentialId: made.credential.id,
      publicKey: Buffer.from(made.credential.publicKey),
      signCount: made.credential.counter,
      transports: (credential.response.transports ?? []).filter((name) => Transport.safeParse(name).success),
      synced: made.credentialDeviceType === 'multiDevice',
    }
    // The log anchors the key, so that a signed decision can be checked against it.
    note({ credentialId: row.credentialId, publicKey: row.publicKey.toString('base64url') })
    if (!(await insertPasskey(tx, row))) throw new ApiError('conflict', 'This passkey is already registered.')
    // In the log from the start, so that no one can replace the key under the votes that it confirms.
    note({ credentialId: row.credentialId, publicKey: row.publicKey.toString('base64url') })
    const { id, synced } = row
    return { passkey: { id, name, synced, createdAt: new Date().toISOString(), lastUsedAt: null } }
  },
})

/** Undefined if any part of it is invalid. */
async function verify({ authenticatorAttachment, response, ...credential }: Attestation, expectedChallenge: string) {
  const { id, origin } = relyingParty()
  const { clientDataJSON, attestationObject } = response
  // Loaded on first use: it needs 15 MB, and most servers never use it.
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { ...credential, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} },
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    })
    return registrationInfo
  } catch {
    // The library throws a specific error (origin, flags, algorithm, form), but the caller gets a single refusal.
    return undefined
  }
}
