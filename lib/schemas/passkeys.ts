import { z } from 'zod'
import { limits } from '#lib/limits.ts'
import { Digest, Id, PageInput, page, Time } from './common.ts'

// The shapes of WebAuthn Level 3, 5.1: binary values in base64url.

const nameLength = `Required, up to ${limits.passkeyName} characters.`

const Bytes = (max: number) => z.base64url().min(1).max(max)
export const Transport = z.enum(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'])
const Credential = z.object({
  id: z.string(),
  type: z.literal('public-key'),
  transports: z.array(Transport).optional(),
})

/** Options for `navigator.credentials.create`. */
export const CreationOptions = z.object({
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  /** COSE algorithms, the preferred one first. */
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
  /** Milliseconds. */
  timeout: z.int(),
  excludeCredentials: z.array(Credential),
  authenticatorSelection: z.object({ residentKey: z.literal('preferred'), userVerification: z.literal('required') }),
  attestation: z.literal('none'),
})
export type CreationOptions = z.infer<typeof CreationOptions>

/** Options for `navigator.credentials.get`. */
export const RequestOptions = z.object({
  rpId: z.string(),
  challenge: z.string(),
  /** Milliseconds. */
  timeout: z.int(),
  allowCredentials: z.array(Credential),
  userVerification: z.literal('required'),
})
export type RequestOptions = z.infer<typeof RequestOptions>

const common = {
  id: Bytes(1400),
  rawId: Bytes(1400),
  type: z.literal('public-key'),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).optional(),
  /** Ignored. */
  clientExtensionResults: z.looseObject({}).default({}),
}
export const Attestation = z.strictObject({
  ...common,
  response: z.object({
    clientDataJSON: Bytes(8192),
    attestationObject: Bytes(65_536),
    /** Browsers may send other names. */
    transports: z.array(z.string().max(32)).max(16).optional(),
  }),
})
export type Attestation = z.infer<typeof Attestation>
/** A device's signature over a challenge, made after the device verified its user. */
export const Assertion = z.strictObject({
  ...common,
  response: z.object({
    clientDataJSON: Bytes(8192),
    authenticatorData: Bytes(4096),
    signature: Bytes(8192),
    userHandle: Bytes(128).nullish(),
  }),
})
export type Assertion = z.infer<typeof Assertion>

export const Passkey = z.object({
  id: Id,
  name: z.string(),
  /** Synchronised between the person's devices; otherwise it stays on one device. */
  synced: z.boolean(),
  createdAt: Time,
  lastUsedAt: Time.nullable(),
})
export type Passkey = z.infer<typeof Passkey>
export const ListPasskeysInput = z.strictObject({ ...PageInput })
export const PasskeyList = page(Passkey)

/** The single act that a confirmation is valid for, once. */
export const ConfirmationPurpose = z.discriminatedUnion('act', [
  z.strictObject({ act: z.literal('approve'), approvalId: Id, payloadDigest: Digest }),
  z.strictObject({ act: z.literal('register') }),
  z.strictObject({ act: z.literal('remove'), passkeyId: Id }),
])
export type ConfirmationPurpose = z.infer<typeof ConfirmationPurpose>
export const BeginConfirmationInput = z.strictObject({ purpose: ConfirmationPurpose })
export const BeginConfirmationOutput = z.object({ options: RequestOptions })

export const BeginRegistrationOutput = z.object({
  options: CreationOptions,
  /** The caller already has a passkey, which has to confirm (passkeys.beginConfirmation, act `register`). */
  confirmationNeeded: z.boolean(),
})
export const FinishRegistrationInput = z.strictObject({
  name: z.string().trim().min(1, nameLength).max(limits.passkeyName, nameLength),
  credential: Attestation,
  confirmation: Assertion.optional(),
})
export const PasskeyOutput = z.object({ passkey: Passkey })
export const RemovePasskeyInput = z.strictObject({ id: Id, confirmation: Assertion })

/** Stored with a vote that a passkey confirmed: enough to verify the signature independently. */
export const Confirmation = z.object({
  passkeyId: Id,
  /** COSE_Key (RFC 9052) in base64url. */
  publicKey: z.string(),
  /** The challenge in clientDataJSON is the base64url of SHA-256 over the canonical JSON (RFC 8785) of this. */
  bound: z.object({ act: z.string(), approvalId: Id, payloadDigest: Digest, nonce: z.string() }),
  clientDataJSON: z.string(),
  authenticatorData: z.string(),
  signature: z.string(),
})
export type Confirmation = z.infer<typeof Confirmation>
