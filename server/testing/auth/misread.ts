import { type KeyObject, sign, verify } from 'node:crypto'

/** What to sign, by `key` with the algorithm that the header names. */
export type Jwt = { header: Record<string, unknown>; payload: Record<string, unknown>; key: KeyObject }

const hashes: Record<string, string> = { ES256: 'sha256', ES384: 'sha384', ES512: 'sha512', RS256: 'sha256' }
const encode = (text: string) => Buffer.from(text).toString('base64url')

/** A token whose signature is genuine, over any two texts. */
function signTexts(header: string, payload: string, { header: { alg }, key }: Jwt): string {
  const input = `${encode(header)}.${encode(payload)}`
  const signature = sign(hashes[String(alg)], Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' })
  return `${input}.${signature.toString('base64url')}`
}

export const signJwt = (jwt: Jwt): string => signTexts(JSON.stringify(jwt.header), JSON.stringify(jwt.payload), jwt)

const withHeader = (members: Record<string, unknown>) => (jwt: Jwt) =>
  signJwt({ ...jwt, header: { ...jwt.header, ...members } })
/** `members` is JSON, placed before the members that are already there. */
const inHeader = (members: string) => (jwt: Jwt) =>
  signTexts(JSON.stringify(jwt.header).replace('{', `{${members},`), JSON.stringify(jwt.payload), jwt)
const inPayload = (members: string) => (jwt: Jwt) =>
  signTexts(JSON.stringify(jwt.header), JSON.stringify(jwt.payload).replace('{', `{${members},`), jwt)

/** Tokens with a genuine signature that two readers could read differently. */
export const misreadings: Record<string, (jwt: Jwt) => string> = {
  'a payload that is not encoded': withHeader({ crit: ['b64'], b64: false }),
  'a payload that is not encoded, by a member that need not be understood': withHeader({ b64: false }),
  'an encoded payload, by the same member': withHeader({ b64: true }),
  'a compressed payload': withHeader({ zip: 'DEF' }),
  'an unknown compression': withHeader({ zip: null }),
  'an unknown extension': withHeader({ crit: ['x'], x: 1 }),
  'an extension that is missing': withHeader({ crit: ['x'] }),
  'a known member as an extension': withHeader({ crit: ['alg'] }),
  'an empty list of extensions': withHeader({ crit: [] }),
  'a list of extensions that is null': withHeader({ crit: null }),
  'two algorithms': inHeader('"alg":"none"'),
  'two algorithms, one of them escaped': inHeader('"\\u0061lg":"none"'),
  'two types': inHeader('"typ":"JWT"'),
  'two equal keys': (jwt) => inHeader(`"alg":${JSON.stringify(jwt.header.alg)}`)(jwt),
  'two members of an object inside the header': inHeader('"x":{"a":1,"a":2}'),
  'two subjects': inPayload('"iat":1,"sub":"maria","sub":"jonas"'),
  'two times of issue': inPayload('"iat":1'),
  'two times of issue, one of them escaped': inPayload('"\\u0069\\u0061\\u0074":1'),
  'two members of an object inside a list': inPayload('"x":[[{"":1,"":2}]]'),
}

const sizes: Record<string, number> = { ES256: 32, ES384: 48, ES512: 66 }
/** Orders of the curves, from SEC 2. */
const orders: Record<string, bigint> = {
  ES256: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  ES384: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  ES512:
    0x01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
}

type Signature = { r: bigint; s: bigint; order: bigint; bytes: number }

function signatureOf(token: string, { header }: Jwt): Signature {
  const alg = String(header.alg)
  const bytes = sizes[alg] ?? 0
  const raw = Buffer.from(token.split('.')[2] ?? '', 'base64url').toString('hex')
  const number = (hex: string) => BigInt(`0x${hex}`)
  return { r: number(raw.slice(0, 2 * bytes)), s: number(raw.slice(2 * bytes)), order: orders[alg] ?? 0n, bytes }
}

const hexOf = (value: bigint, bytes: number) => value.toString(16).padStart(2 * bytes, '0')

/** The same token with other numbers as its signature. */
const withNumbers = (change: (signature: Signature) => [r: bigint, s: bigint]) => (jwt: Jwt) => {
  const token = signJwt(jwt)
  const signature = signatureOf(token, jwt)
  const raw = change(signature).map((value) => hexOf(value, signature.bytes))
  return replaceSignature(token, Buffer.from(raw.join(''), 'hex'))
}

const withBytes = (change: (signature: Buffer) => Buffer) => (jwt: Jwt) => {
  const token = signJwt(jwt)
  return replaceSignature(token, change(Buffer.from(token.split('.')[2] ?? '', 'base64url')))
}

const replaceSignature = (token: string, signature: Buffer) =>
  [...token.split('.').slice(0, 2), signature.toString('base64url')].join('.')

/** Tokens whose ECDSA signature does not have the form that its algorithm requires. */
export const malformedSignatures: Record<string, (jwt: Jwt) => string> = {
  'r = 0': withNumbers(({ s }) => [0n, s]),
  's = 0': withNumbers(({ r }) => [r, 0n]),
  'both 0': withNumbers(() => [0n, 0n]),
  'r = the order': withNumbers(({ s, order }) => [order, s]),
  's = the order': withNumbers(({ r, order }) => [r, order]),
  's beyond the order': withNumbers(({ r, order }) => [r, order + 1n]),
  'all bits set': withBytes((signature) => Buffer.alloc(signature.length, 0xff)),
  'one byte short': withBytes((signature) => signature.subarray(1)),
  'one byte long': withBytes((signature) => Buffer.concat([signature, Buffer.of(0)])),
  'a byte of zeros in front of each half': withBytes((signature) => {
    const half = signature.length / 2
    return Buffer.concat([Buffer.of(0), signature.subarray(0, half), Buffer.of(0), signature.subarray(half)])
  }),
  'the encoding DER': (jwt) => {
    const token = signJwt(jwt)
    const input = token.split('.').slice(0, 2).join('.')
    return replaceSignature(token, sign(hashes[String(jwt.header.alg)], Buffer.from(input), jwt.key))
  },
}

/** The other valid signature of the same token: s and the order less s both verify. */
export function twinOf(token: string, jwt: Jwt): string {
  const { r, s, order, bytes } = signatureOf(token, jwt)
  return replaceSignature(token, Buffer.from(hexOf(r, bytes) + hexOf(order - s, bytes), 'hex'))
}

export function isGenuine(token: string, { header: { alg } }: Jwt, key: KeyObject): boolean {
  const [header, payload, signature = ''] = token.split('.')
  const input = Buffer.from(`${header}.${payload}`)
  return verify(hashes[String(alg)], input, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))
}
