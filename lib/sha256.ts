// SHA-256 (FIPS 180-4) where WebCrypto is unsuitable: for bytes that arrive in pieces, because it takes whole buffers only and a
// browser can't hold a file of many gigabytes; and for a million short records, because awaiting it costs ten times the hash.
// Included in verify.html of every archive, so it imports nothing. For one larger buffer in memory WebCrypto is faster. In Node,
// its own SHA-256 is used where that is faster: verify.mjs, and the server's check of an archive.

const K = Int32Array.of(
  0x428a2f98,
  0x71374491,
  0xb5c0fbcf,
  0xe9b5dba5,
  0x3956c25b,
  0x59f111f1,
  0x923f82a4,
  0xab1c5ed5,
  0xd807aa98,
  0x12835b01,
  0x243185be,
  0x550c7dc3,
  0x72be5d74,
  0x80deb1fe,
  0x9bdc06a7,
  0xc19bf174,
  0xe49b69c1,
  0xefbe4786,
  0x0fc19dc6,
  0x240ca1cc,
  0x2de92c6f,
  0x4a7484aa,
  0x5cb0a9dc,
  0x76f988da,
  0x983e5152,
  0xa831c66d,
  0xb00327c8,
  0xbf597fc7,
  0xc6e00bf3,
  0xd5a79147,
  0x06ca6351,
  0x14292967,
  0x27b70a85,
  0x2e1b2138,
  0x4d2c6dfc,
  0x53380d13,
  0x650a7354,
  0x766a0abb,
  0x81c2c92e,
  0x92722c85,
  0xa2bfe8a1,
  0xa81a664b,
  0xc24b8b70,
  0xc76c51a3,
  0xd192e819,
  0xd6990624,
  0xf40e3585,
  0x106aa070,
  0x19a4c116,
  0x1e376c08,
  0x2748774c,
  0x34b0bcb5,
  0x391c0cb3,
  0x4ed8aa4a,
  0x5b9cca4f,
  0x682e6ff3,
  0x748f82ee,
  0x78a5636f,
  0x84c87814,
  0x8cc70208,
  0x90befffa,
  0xa4506ceb,
  0xbef9a3f7,
  0xc67178f2,
)
const initialState = Int32Array.of(
  0x6a09e667,
  0xbb67ae85,
  0x3c6ef372,
  0xa54ff53a,
  0x510e527f,
  0x9b05688c,
  0x1f83d9ab,
  0x5be0cd19,
)
const blockBytes = 64
/** Working memory shared by all hashes: nothing here awaits, so no two use it concurrently. */
const words = new Int32Array(64)
const ending = new Uint8Array(2 * blockBytes)
const endingView = new DataView(ending.buffer)

type Incremental = { update(bytes: Uint8Array): void; digest(): Uint8Array<ArrayBuffer> }
type NodeCrypto = {
  hash?(algorithm: 'sha256', bytes: Uint8Array, encoding: 'binary' | 'hex'): string
  createHash(algorithm: 'sha256'): { update(bytes: Uint8Array): void; digest(): Uint8Array }
}
type MaybeNode = { process?: { getBuiltinModule?(name: 'node:crypto'): NodeCrypto | undefined } }

/** Node's own; undefined in a browser, and in a Node that is older than this function. */
const ofNode = (globalThis as MaybeNode).process?.getBuiltinModule?.('node:crypto')

/** The 32-byte digest of a whole buffer. */
export function sha256Now(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  // Node's own buffer would cost more than the hash of a short text.
  const text = ofNode?.hash?.('sha256', bytes, 'binary')
  if (text === undefined) return sha256Here(bytes)
  const digest = new Uint8Array(32)
  for (let at = 0; at < digest.length; at++) digest[at] = text.charCodeAt(at)
  return digest
}

/** The same for a file in memory, which WebCrypto hashes faster than this where Node's own is missing. */
export const sha256OfFile = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
  ofNode?.hash === undefined ? new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)) : sha256Now(bytes)

/** Call `update` with each piece in order, then `digest` once, which returns the 32 bytes. */
export function incrementalSha256(): Incremental {
  const own = ofNode?.createHash('sha256')
  if (own === undefined) return incrementalSha256Here()
  return { update: (bytes) => void own.update(bytes), digest: () => new Uint8Array(own.digest()) }
}

/** sha256Now without Node. */
export function sha256Here(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const state = initialState.slice()
  const rest = compressWhole(state, bytes, 0)
  return digestAtEnd(state, bytes.subarray(rest), bytes.length)
}

/** incrementalSha256 without Node. */
export function incrementalSha256Here(): Incremental {
  const state = initialState.slice()
  const block = new Uint8Array(blockBytes)
  let filled = 0
  let total = 0

  return {
    update(bytes: Uint8Array): void {
      total += bytes.length
      let at = 0
      if (filled > 0) {
        at = Math.min(blockBytes - filled, bytes.length)
        block.set(bytes.subarray(0, at), filled)
        filled += at
        if (filled < blockBytes) return
        compress(state, block, 0)
      }
      const rest = bytes.subarray(compressWhole(state, bytes, at))
      block.set(rest)
      filled = rest.length
    },
    digest: (): Uint8Array<ArrayBuffer> => digestAtEnd(state, block.subarray(0, filled), total),
  }
}

/** Hashes every whole block from `at` on into the state; returns where the rest begins. */
function compressWhole(state: Int32Array, bytes: Uint8Array, at: number): number {
  let next = at
  for (; bytes.length - next >= blockBytes; next += blockBytes) compress(state, bytes, next)
  return next
}

/** Hashes `rest`, a one bit, zeros up to the end of a block, and the total length in bits as 64 bits; the state is then the digest. */
function digestAtEnd(state: Int32Array, rest: Uint8Array, total: number): Uint8Array<ArrayBuffer> {
  const end = rest.length < 56 ? blockBytes : 2 * blockBytes
  ending.fill(0)
  ending.set(rest)
  ending[rest.length] = 0x80
  endingView.setUint32(end - 8, Math.floor(total / 0x20000000))
  endingView.setUint32(end - 4, (total * 8) % 0x100000000)
  for (let at = 0; at < end; at += blockBytes) compress(state, ending, at)
  const digest = new DataView(new ArrayBuffer(32))
  for (let i = 0; i < 8; i++) digest.setInt32(i * 4, state[i] as number)
  return new Uint8Array(digest.buffer)
}

/** Hashes one block of `bytes`, from `at` on, into the state. Never reads outside its arrays. */
function compress(state: Int32Array, bytes: Uint8Array, at: number): void {
  for (let i = 0, from = at; i < 16; i++, from += 4)
    words[i] =
      ((bytes[from] as number) << 24) |
      ((bytes[from + 1] as number) << 16) |
      ((bytes[from + 2] as number) << 8) |
      (bytes[from + 3] as number)
  for (let i = 16; i < 64; i++) {
    const x = words[i - 15] as number
    const y = words[i - 2] as number
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    words[i] = ((words[i - 16] as number) + s0 + (words[i - 7] as number) + s1) | 0
  }
  let a = state[0] as number
  let b = state[1] as number
  let c = state[2] as number
  let d = state[3] as number
  let e = state[4] as number
  let f = state[5] as number
  let g = state[6] as number
  let h = state[7] as number
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (K[i] as number) + (words[i] as number)) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  state[0] = (state[0] as number) + a
  state[1] = (state[1] as number) + b
  state[2] = (state[2] as number) + c
  state[3] = (state[3] as number) + d
  state[4] = (state[4] as number) + e
  state[5] = (state[5] as number) + f
  state[6] = (state[6] as number) + g
  state[7] = (state[7] as number) + h
}
