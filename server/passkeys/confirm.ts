import type { ApiError } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import type { Assertion } from '#lib/schemas/passkeys.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { refuse } from '#server/kernel/operation.ts'
import { spendChallenge } from './challenge.ts'
import { relyingParty } from './relying-party.ts'
import { lockCredential, setUsed } from './store.ts'

type Confirmed = {
  passkeyId: string
  publicKey: string
  bound: JsonObject & { nonce: string }
  assertion: Assertion
}

/**
 * Checks that the person's device signed a challenge that was made for `purpose`, in the transaction of the act that it
 * confirms; the challenge is used up with it. 403 `passkey_required` otherwise.
 */
export async function confirmWithPasskey(
  tx: Transaction,
  { tenant, principal }: { tenant: Tenant; principal: Principal },
  purpose: JsonObject,
  assertion: Assertion | undefined,
): Promise<Confirmed> {
  if (assertion === undefined) throw refused('This has to be confirmed with your passkey.')
  const spent = await spendChallenge(tx, tenant, principal, assertion.response.clientDataJSON, purpose)
  if (spent === undefined)
    throw refused('This confirmation was made for something else, was used, or is too old. Confirm again.')
  const passkey = await lockCredential(tx, tenant.id, principal.memberId, assertion.id)
  if (passkey === undefined) throw refused('This passkey is none of yours, or it was removed.')
  const signCount = await verify(assertion, spent.challenge, passkey)
  if (signCount === undefined) throw refused('The signature of this passkey does not verify.')
  await setUsed(tx, tenant.id, passkey.id, signCount)
  return { passkeyId: passkey.id, publicKey: passkey.publicKey.toString('base64url'), bound: spent.bound, assertion }
}

const refused = (message: string): ApiError => refuse('passkey_required', message)

/** The device's new count, or undefined when anything about the assertion is wrong. */
async function verify(
  { authenticatorAttachment, response: { userHandle, ...response }, ...assertion }: Assertion,
  expectedChallenge: string,
  passkey: { publicKey: Buffer; signCount: string | number },
): Promise<number | undefined> {
  // Loaded when it is used: it is 15 MB that most servers never need.
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { id, origin } = relyingParty()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...assertion, response, clientExtensionResults: {} },
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      credential: {
        id: assertion.id,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: Number(passkey.signCount),
      },
    })
    return verified ? authenticationInfo.newCounter : undefined
  } catch {
    // The library throws what it found wrong (origin, flags, count, form): to the caller it is all one refusal.
    return undefined
  }
}
