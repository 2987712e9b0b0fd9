import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { Assertion, Attestation, CreationOptions, RequestOptions } from '#lib/schemas/passkeys.ts'

// A person's device: creates an ES256 passkey and signs with it, as defined by WebAuthn Level 3. Options make it cheat.

type Knobs = {
  origin?: string
  rpId?: string
  /** User present 0x01, user verified 0x04. */
  flags?: number
  type?: string
  /** Signs with another key. */
  forged?: boolean
  count?: number
}

const b64 = (bytes: Buffer) => bytes.toString('base64url')
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest()

export class Authenticator {
  readonly credentialId = randomBytes(32)
  readonly #key: KeyObject
  readonly #origin: string
  readonly #cose: Buffer
  #count = 0

  constructor(origin = 'http://localhost:3000') {
    this.#origin = origin
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#key = privateKey
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    // {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}
    this.#cose = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ])
  }

  create({ challenge, rp }: CreationOptions, knobs: Knobs = {}): Attestation {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.credentialId.length)
    const attested = Buffer.concat([Buffer.alloc(16), length, this.credentialId, this.#cose])
    const data = Buffer.concat([this.#header(rp.id, 0x40, knobs), attested])
    const size = Buffer.alloc(2)
    size.writeUInt16BE(data.length)
    // {"fmt": "none", "attStmt": {}, "authData": bytes}
    const attestationObject = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
      Buffer.from([0x59]),
      size,
      data,
    ])
    const clientDataJSON = b64(this.#clientData('webauthn.create', challenge, knobs))
    const id = b64(this.credentialId)
    return {
      id,
      rawId: id,
      type: 'public-key',
      response: { clientDataJSON, attestationObject: b64(attestationObject), transports: ['internal'] },
      clientExtensionResults: {},
    }
  }

  get({ challenge, rpId }: RequestOptions, knobs: Knobs = {}): Assertion {
    this.#count += 1
    const data = this.#header(rpId, 0, knobs)
    const clientData = this.#clientData('webauthn.get', challenge, knobs)
    const key = knobs.forged === true ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : this.#key
    const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), key)
    const id = b64(this.credentialId)
    return {
      id,
      rawId: id,
      type: 'public-key',
      response: { clientDataJSON: b64(clientData), authenticatorData: b64(data), signature: b64(signature) },
      clientExtensionResults: {},
    }
  }

  #header(rpId: string, more: number, { rpId: other, flags = 0x05, count }: Knobs): Buffer {
    const tail = Buffer.alloc(5)
    tail[0] = flags | more
    tail.writeUInt32BE(count ?? this.#count, 1)
    return Buffer.concat([sha256(other ?? rpId), tail])
  }

  #clientData(type: string, challenge: string, knobs: Knobs): Buffer {
    const origin = knobs.origin ?? this.#origin
    return Buffer.from(JSON.stringify({ type: knobs.type ?? type, challenge, origin, crossOrigin: false }))
  }
}
