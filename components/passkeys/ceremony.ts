import * as t from '#components/texts/passkeys/en.ts'
import { type Failure, failureOf, RequestError } from '#lib/failure.ts'
import type { Assertion, Attestation, ConfirmationPurpose } from '#lib/schemas/passkeys.ts'
import type { Client } from '#lib/trpc.ts'

/** Lets the person's device sign for one action. Throws RequestError: `no_passkey` when it did not, `not_loaded`, or the API's refusal. */
export async function confirmWithPasskey(client: Client, purpose: ConfirmationPurpose): Promise<Assertion> {
  const { options: optionsJSON } = await client.passkeys.beginConfirmation.mutate({ purpose })
  const { startAuthentication } = await library()
  const { id, rawId, response } = await given('sign', startAuthentication({ optionsJSON }))
  const { clientDataJSON, authenticatorData, signature } = response
  return {
    id,
    rawId,
    type: 'public-key',
    response: { clientDataJSON, authenticatorData, signature },
    clientExtensionResults: {},
  }
}

/** Creates a passkey on one of the person's devices and registers it. An existing passkey confirms. */
export async function registerPasskey(client: Client, name: string) {
  const begun = await client.passkeys.beginRegistration.mutate()
  const confirmation = begun.confirmationNeeded ? await confirmWithPasskey(client, { act: 'register' }) : undefined
  const { startRegistration } = await library()
  const { id, rawId, response } = await given('create', startRegistration({ optionsJSON: begun.options }))
  const { clientDataJSON, attestationObject, transports } = response
  const credential: Attestation = {
    id,
    rawId,
    type: 'public-key',
    response: { clientDataJSON, attestationObject, ...(transports === undefined ? {} : { transports }) },
    clientExtensionResults: {},
  }
  return await client.passkeys.finishRegistration.mutate({
    name,
    credential,
    ...(confirmation === undefined ? {} : { confirmation }),
  })
}

/** Loaded when a passkey is used first. */
const library = () =>
  import('@simplewebauthn/browser').catch((cause: unknown) => {
    throw new RequestError(failureOf('not_loaded', t.deviceNotAsked), cause)
  })

async function given<T>(act: DeviceAct, asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (cause) {
    throw new RequestError(notGiven(act, cause), cause)
  }
}

type DeviceAct = 'sign' | 'create'

/**
 * Why a device signed nothing, or created no passkey, and what to do. Its errors are vague on purpose: a page can't distinguish
 * canceled, timed out, a failed check of the person, and no matching passkey.
 */
export function notGiven(act: DeviceAct, cause: unknown): Failure {
  if (act === 'sign') return failureOf('no_passkey', t.yourDeviceDidNot)
  // The device has one of the passkeys that the person has registered already.
  const known = cause instanceof Error && cause.name === 'InvalidStateError'
  return known
    ? { ...failureOf('no_passkey', t.youAlreadyHavePasskey), advice: t.useAnotherDevice }
    : { ...failureOf('no_passkey', t.yourDeviceCreatedNone), advice: t.addItAgain }
}
