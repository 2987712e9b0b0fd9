import type { ApiError } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import type { Assertion } from '#lib/schemas/passkeys.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
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
 * Checks that the person's device signed a challenge that was created for `purpose`, in the transaction of the
 * confirmed operation, and uses the challenge up. Throws 403 `passkey_required` otherwise.
 */
export async function confirmWithPasskey(
  tx: Transaction,
  { tenant, principal }: { tenant: Tenant; principal: Principal },
  purpose: JsonObject,
  assertion: Assertion | undefined,
): Promise<Confirmed> {
  if (assertion === undefined) throw refused('Confirm this with your passkey.')
  const spent = await spendChallenge(tx, tenant, principal, assertion.response.clientDataJSON, purpose)
  if (spent === undefined)
    throw refused('This confirmation is for another operation, has already been used, or has expired. Confirm again.')
  const passkey = await lockCredential(tx, tenant.id, principal.memberId, assertion.id)
  if (passkey === undefined) throw refused('This passkey is not one of yours, or has been removed.')
  await requireBound(tx, tenant.id, 'passkey', [passkey.id])
  const signCount = await verify(assertion, spent.challenge, passkey)
  if (signCount === undefined) throw refused('The signature of this passkey is not valid.')
  await setUsed(tx, tenant.id, passkey.id, signCount)
  return { passkeyId: passkey.id, publicKey: passkey.publicKey.toString('base64url'), bound: spent.bound, assertion }
}

const refused = (message: string): ApiError => refuse('passkey_required', message)

/** The device's new count, or undefined if any part of the assertion is invalid. */
async function verify(
  { authenticatorAttachment, response: { userHandle, ...response }, ...assertion }: Assertion,
  expectedChallenge: string,
  passkey: { publicKey: Buffer; signCount: string | number },
): Promise<number | undefined> {
  // Loaded on first use: it needs 15 MB, and most servers never use it.
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
    // The library throws a specific error (origin, flags, count, form), but the caller gets a single refusal.
    return undefined
  }
}
