import { Broken, type Bytes, concat, fromBase64, sameBytes } from '../bytes.ts'
import { NotChecked } from '../report.ts'
import { type Der, elementsOf, inside, oidOf, onlyElement, tags, timeOf } from './der.ts'

// X.509 certificates (RFC 5280), as far as a time-stamp needs them: who signed whom, when, and for what.

export type Certificate = {
  raw: Bytes
  /** The parts that the issuer signed. */
  signed: Bytes
  issuer: Bytes
  subject: Bytes
  serial: Bytes
  /** Milliseconds since 1970. */
  validFrom: number
  validUntil: number
  publicKey: Der
  algorithm: Der
  signature: Bytes
  /** It may issue certificates. */
  authority: boolean
  /** Object identifiers of its extended key usage. */
  purposes: string[]
}

export function certificateOf(raw: Bytes): Certificate {
  const whole = onlyElement(raw, tags.sequence)
  const signed = inside(whole, 0, tags.sequence)
  const parts = elementsOf(signed.body)
  // Version 1 lacks the version.
  const at = parts[0]?.tag === 0xa0 ? 1 : 0
  const part = (place: number, tag: number) => inside(signed, at + place, tag)
  const validity = elementsOf(part(3, tags.sequence).body)
  const [from, until] = validity
  if (from === undefined || until === undefined) throw new Broken('A certificate lacks its validity.')
  const extensions = extensionsOf(parts.find(({ tag }) => tag === 0xa3))
  return {
    raw,
    signed: signed.raw,
    serial: part(0, tags.integer).body,
    issuer: part(2, tags.sequence).raw,
    validFrom: timeOf(from),
    validUntil: timeOf(until),
    subject: part(4, tags.sequence).raw,
    publicKey: part(5, tags.sequence),
    algorithm: inside(whole, 1, tags.sequence),
    signature: bitsOf(inside(whole, 2, tags.bits)),
    authority: isAuthority(extensions.get('2.5.29.19')),
    purposes: purposesOf(extensions.get('2.5.29.37')),
  }
}

/** The certificates in a PEM file. */
export function certificatesIn(pem: string): Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) throw new NotChecked('The file of the time-stamping authority contains no PEM certificate.')
  return blocks.map((block) => certificateOf(fromBase64(block.replaceAll(/-----[A-Z ]+-----|\s/g, ''))))
}

/** The extensions by object identifier. */
function extensionsOf(explicit: Der | undefined): Map<string, Bytes> {
  if (explicit === undefined) return new Map()
  return new Map(
    elementsOf(onlyElement(explicit.body, tags.sequence).body).map((extension) => {
      const [name, ...rest] = elementsOf(extension.body)
      const value = rest.at(-1)
      if (name === undefined || value?.tag !== tags.octets) throw new Broken('A certificate is malformed.')
      return [oidOf(name), value.body]
    }),
  )
}

const isAuthority = (extension: Bytes | undefined): boolean => {
  if (extension === undefined) return false
  const [first] = elementsOf(onlyElement(extension, tags.sequence).body)
  return first?.tag === 0x01 && first.body[0] === 0xff
}

const purposesOf = (extension: Bytes | undefined): string[] =>
  extension === undefined ? [] : elementsOf(onlyElement(extension, tags.sequence).body).map(oidOf)

function bitsOf({ body }: Der): Bytes {
  if (body[0] !== 0) throw new Broken('A signature in a certificate is malformed.')
  return body.slice(1)
}

/** Of what authorities are known to use, and this verifier lacks. */
const namesOf = new Map([
  ['1.3.14.3.2.26', 'SHA-1'],
  ['1.2.840.113549.1.1.5', 'RSA with SHA-1'],
  ['1.2.840.113549.1.1.10', 'RSA-PSS'],
  ['1.2.840.10045.4.1', 'ECDSA with SHA-1'],
])

const hashes = new Map([
  ['2.16.840.1.101.3.4.2.1', 'SHA-256'],
  ['2.16.840.1.101.3.4.2.2', 'SHA-384'],
  ['2.16.840.1.101.3.4.2.3', 'SHA-512'],
])

/** The name of a digest in WebCrypto. NotChecked for one that is not of the SHA-2 family. */
export function hashNamed(oid: string): string {
  const found = hashes.get(oid)
  if (found === undefined)
    throw new NotChecked(`The time-stamp uses a digest that this verifier lacks (${namesOf.get(oid) ?? oid}).`)
  return found
}

const curves = new Map([
  ['1.2.840.10045.3.1.7', { namedCurve: 'P-256', bytes: 32 }],
  ['1.3.132.0.34', { namedCurve: 'P-384', bytes: 48 }],
  ['1.3.132.0.35', { namedCurve: 'P-521', bytes: 66 }],
])
const rsa = '1.2.840.113549.1.1.'
const withHash = new Map([
  [`${rsa}11`, 'SHA-256'],
  [`${rsa}12`, 'SHA-384'],
  [`${rsa}13`, 'SHA-512'],
  ['1.2.840.10045.4.3.2', 'SHA-256'],
  ['1.2.840.10045.4.3.3', 'SHA-384'],
  ['1.2.840.10045.4.3.4', 'SHA-512'],
])

/** The keys' own identifiers, which some authorities give instead of a scheme. */
const withoutHash = new Set([`${rsa}1`, '1.2.840.10045.2.1'])

/**
 * Whether the key of `by` made this signature. `digest` is the digest that a bare algorithm uses, such as rsaEncryption.
 * NotChecked for other algorithms than RSA (PKCS 1) and ECDSA with a curve of NIST, both with SHA-2, and Ed25519.
 */
export async function isSignedBy(
  by: Certificate,
  { signed, signature, algorithm }: Pick<Certificate, 'signed' | 'signature' | 'algorithm'>,
  digest?: string,
): Promise<boolean> {
  const oid = oidOf(inside(algorithm, 0, tags.oid))
  const key = inside(by.publicKey, 0, tags.sequence)
  const kind = oidOf(inside(key, 0, tags.oid))
  // Others name another digest or another scheme (SHA-1, RSA-PSS): what they sign can't be told to be wrong here.
  const hash = withHash.get(oid) ?? (withoutHash.has(oid) ? digest : undefined)
  const check = async (parameters: RsaHashedImportParams | EcKeyImportParams, made: Bytes) => {
    const publicKey = await crypto.subtle.importKey('spki', by.publicKey.raw, parameters, false, ['verify'])
    return await crypto.subtle.verify({ name: parameters.name, hash: hash ?? '' }, publicKey, made, signed)
  }
  if (kind === `${rsa}1` && oid.startsWith(rsa) && hash !== undefined)
    return await check({ name: 'RSASSA-PKCS1-v1_5', hash }, signature)
  if (kind === '1.2.840.10045.2.1' && hash !== undefined && oid.startsWith('1.2.840.10045.')) {
    const curve = curves.get(oidOf(inside(key, 1, tags.oid)))
    if (curve !== undefined)
      return await check({ name: 'ECDSA', namedCurve: curve.namedCurve }, pairOf(signature, curve.bytes))
  }
  if (kind === '1.3.101.112' && oid === kind) {
    const publicKey = await crypto.subtle.importKey('spki', by.publicKey.raw, 'Ed25519', false, ['verify'])
    return await crypto.subtle.verify('Ed25519', publicKey, signature, signed)
  }
  throw new NotChecked(
    `The time-stamp or a certificate uses an algorithm that this verifier lacks (${namesOf.get(oid) ?? oid}).`,
  )
}

/** The two numbers of an ECDSA signature side by side, as WebCrypto reads them. */
function pairOf(signature: Bytes, bytes: number): Bytes {
  const numbers = elementsOf(onlyElement(signature, tags.sequence).body).map(({ body }) => {
    const value = body.slice(body.findIndex((byte) => byte !== 0))
    if (value.length > bytes) throw new Broken('A signature in the time-stamp is malformed.')
    return concat(new Uint8Array(bytes - value.length), value)
  })
  return concat(...numbers)
}

const longestPath = 8

/** The certificate leads to one that the reader trusts, each valid at `at` and signed by the next. */
export async function leadsTo(
  trusted: readonly Certificate[],
  first: Certificate,
  { others, at }: { others: readonly Certificate[]; at: number },
): Promise<boolean> {
  let current = first
  for (let steps = 0; steps < longestPath; steps++) {
    if (at < current.validFrom || at > current.validUntil)
      throw new Broken('A certificate of the time-stamping authority was not valid at that time.')
    if (trusted.some(({ raw }) => sameBytes(raw, current.raw))) return true
    const issuer = await issuerOf(current, [...trusted, ...others])
    if (issuer === undefined) return false
    current = issuer
  }
  return false
}

async function issuerOf(of: Certificate, among: readonly Certificate[]): Promise<Certificate | undefined> {
  for (const one of among)
    if (one.authority && one !== of && sameBytes(one.subject, of.issuer) && (await isSignedBy(one, of))) return one
  return undefined
}

/** RFC 3161, 2.3: the purpose that a certificate for time-stamps has. */
export const forTimeStamps = '1.3.6.1.5.5.7.3.8'
