import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto'
import type { Writable } from 'node:stream'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'
import { whyNotPayloadPath } from './bag-path.ts'
import { bagProfile, profileInfo } from './bag-profile.ts'
import { bagReadme } from './bag-readme.ts'
import { sigstoreBundle } from './sigstore.ts'
import { type Content, tally } from './tally.ts'
import { verifiers } from './verify-page.ts'
import { openZip, type ZipWriter } from './zip-writer.ts'

const ndjson = 'application/x-ndjson'

/** A payload file as `manifest.json` lists it. `sha256` is 64 hex digits; `records` is present if lines are records. */
export type BagFile = { path: string; sha256: string; bytes: number; mediaType: string; records?: number }

/** `records`: whether each line is a record to be counted; by default in NDJSON only. */
export type BagFileOptions = { mediaType: string; records?: boolean }

export type BagSeal = {
  /**
   * Creates manifest.json from the added files, in their order; `payloadOxum` is "<bytes>.<files>". The bag adds
   * `payloadManifestSha256` (64 hex digits, of manifest-sha256.txt): without it the signature would not cover that list.
   */
  manifest: (files: readonly BagFile[], payloadOxum: string) => JsonObject
  /** Ed25519. */
  signingKey: KeyObject
  /** The public key of `signingKey`, as SPKI in PEM. */
  publicKeyPem: string
  /** Further lines of bag-info.txt, such as Source-Organization and Bagging-Date. */
  info: Readonly<Record<string, string>>
  /** Returns a time-stamp (RFC 3161) of manifest.json; undefined without a time-stamping authority. */
  timeStamp?: ((manifest: Buffer) => Promise<Buffer | undefined>) | undefined
}

/** `totalBytes` is the size of the whole ZIP. `manifestSha256` is 64 hex digits. */
export type SealedBag = { manifestBytes: Buffer; manifestSha256: string; totalBytes: number }

export type Bag = {
  /**
   * Writes one payload file. The path is below data/ and used once (upper and lower case count as the same, as they are
   * on some file systems): RangeError otherwise. Rejects with the content's own error when reading it fails.
   */
  addFile(path: string, content: Content, options: BagFileOptions): Promise<BagFile>
  /** Writes the description and the seal, and ends `out`. RangeError for a bag without payload. */
  seal(seal: BagSeal): Promise<SealedBag>
}

/**
 * An `evidence-room-bundle-v1`: a BagIt 1.0 bag (RFC 8493) in a ZIP64, written as a stream and sealed last.
 * Calls go one after the other. Sealing ends `out`; a failure destroys it, and every later call rejects with that error.
 * `demo`: its README says that it is the archive of a demo tenant.
 * A caller that stops before sealing destroys `out` itself. The same content and key result in the same bytes.
 */
export function openBag({ exportId, out, demo = false }: { exportId: string; out: Writable; demo?: boolean }): Bag {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(exportId))
    throw new RangeError('An export id must consist of letters, digits and hyphens.')
  const draft: Draft = { exportId, demo, zip: openZip(out), payload: [], tags: [], taken: new Set() }
  const alone = oneAtATime(out, () => writeOpening(draft))
  return {
    async addFile(path, content, options) {
      requireNewPath(draft, path)
      return await alone('open', () => writePayload(draft, path, content, options))
    },
    async seal(seal) {
      // sha256sum -c refuses an empty list, so an empty bag could not be checked.
      if (draft.payload.length === 0) throw new RangeError('A bag needs at least one payload file.')
      return await alone('sealed', () => writeDescriptionAndSeal(draft, seal))
    },
  }
}

/** A bag that is being written. Owned by its `openBag`. */
type Draft = {
  exportId: string
  demo: boolean
  zip: ZipWriter
  payload: BagFile[]
  /** The files that describe the bag, as tagmanifest-sha256.txt lists them. */
  tags: Checksum[]
  /** Payload paths in lower case. */
  taken: Set<string>
}

type Checksum = { path: string; sha256: string }

/**
 * Runs one call at a time, the first one after `begin`. A failure destroys `out`, and every later call rejects with the same
 * error.
 */
function oneAtATime(out: Writable, begin: () => Promise<void>) {
  let state: 'new' | 'open' | 'writing' | 'sealed' | 'failed' = 'new'
  let failure: unknown
  return async function alone<T>(next: 'open' | 'sealed', run: () => Promise<T>): Promise<T> {
    if (state === 'failed') throw failure
    if (state === 'sealed') throw new Error('The bag is sealed.')
    if (state === 'writing') throw new Error('The bag is still writing: await each call before the next.')
    const isNew = state === 'new'
    state = 'writing'
    try {
      if (isNew) await begin()
      const result = await run()
      state = next
      return result
    } catch (error) {
      state = 'failed'
      failure = error
      out.destroy(error instanceof Error ? error : undefined)
      throw error
    }
  }
}

async function write({ zip, exportId }: Draft, path: string, content: Content) {
  const counted = tally(content)
  await zip.write(`evidence-room-${exportId}/${path}`, counted.bytes)
  return counted.result()
}

/** Writes a file that describes the bag, and lists it in the tag manifest. */
async function writeTag(draft: Draft, path: string, content: string | Buffer): Promise<void> {
  const { sha256 } = await write(draft, path, [content])
  draft.tags.push({ path, sha256 })
}

async function writeOpening(draft: Draft): Promise<void> {
  await writeTag(draft, 'bagit.txt', 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n')
  await writeTag(draft, 'README.txt', bagReadme(draft.exportId, draft))
  await writeTag(draft, 'verify.html', verifiers().page)
  await writeTag(draft, 'verify.mjs', verifiers().command)
  await writeTag(draft, 'bagit-profile.json', bagProfile())
}

function requireNewPath({ taken }: Draft, path: string): void {
  const reason = whyNotPayloadPath(path)
  if (reason) throw new RangeError(`${JSON.stringify(path)} cannot be added to the bag: ${reason}.`)
  if (taken.has(path.toLowerCase())) throw new RangeError(`${path} is already in the bag.`)
}

async function writePayload(
  draft: Draft,
  path: string,
  content: Content,
  { mediaType, records }: BagFileOptions,
): Promise<BagFile> {
  draft.taken.add(path.toLowerCase())
  const { bytes, lines, sha256 } = await write(draft, path, content)
  const file: BagFile = { path, sha256, bytes, mediaType }
  if (records ?? mediaType === ndjson) file.records = lines
  draft.payload.push(file)
  return { ...file }
}

async function writeDescriptionAndSeal(draft: Draft, seal: BagSeal): Promise<SealedBag> {
  const list = checksums(draft.payload)
  const payloadOxum = oxumOf(draft.payload)
  const manifest = manifestBytesOf(draft, seal, payloadOxum, list)
  // Before anything is written: a wrong key fails here.
  const signed = signManifest(manifest, seal.signingKey, seal.publicKeyPem)
  const stamp = await seal.timeStamp?.(manifest)
  const info = bagInfo({
    ...profileInfo,
    ...seal.info,
    'External-Identifier': draft.exportId,
    'Payload-Oxum': payloadOxum,
  })
  await writeTag(draft, 'bag-info.txt', info)
  await writeTag(draft, 'manifest.json', manifest)
  await writeTag(draft, 'manifest-sha256.txt', list)
  // The seal signs the files above, so the tag manifest does not list it.
  const tagList = checksums(draft.tags)
  await write(draft, 'tagmanifest-sha256.txt', [tagList])
  await write(draft, 'seal/manifest.json.sig', [signed.signature])
  await write(draft, 'seal/tagmanifest-sha256.txt.sig', [sign(null, Buffer.from(tagList), seal.signingKey)])
  await write(draft, 'seal/seal.pub.pem', [signed.publicKeyPem])
  await write(draft, 'seal/bundle.sigstore.json', [sigstoreOf(draft, seal, manifest, tagList)])
  if (stamp !== undefined) await write(draft, 'seal/manifest.json.tsr', [stamp])
  return { manifestBytes: manifest, manifestSha256: sha256(manifest), totalBytes: await draft.zip.finish() }
}

/** "<bytes>.<files>" (RFC 8493, section 2.2.2). */
const oxumOf = (payload: readonly BagFile[]): string =>
  `${payload.reduce((sum, { bytes }) => sum + bytes, 0)}.${payload.length}`

function manifestBytesOf({ payload }: Draft, { manifest }: BagSeal, payloadOxum: string, list: string): Buffer {
  const files = payload.map((file) => ({ ...file }))
  return Buffer.from(canonicalJson({ ...manifest(files, payloadOxum), payloadManifestSha256: sha256(list) }))
}

function sigstoreOf({ exportId }: Draft, { publicKeyPem, signingKey }: BagSeal, manifest: Buffer, tagList: string) {
  const subjects = [
    { path: 'manifest.json', sha256: sha256(manifest) },
    { path: 'tagmanifest-sha256.txt', sha256: sha256(tagList) },
  ]
  return sigstoreBundle(subjects, { exportId }, { keyId: sealKeyFingerprint(publicKeyPem), signingKey })
}

/**
 * Returns `sha256:` and the hex SHA-256 of the key's DER. The service publishes it, and the README explains how to
 * compute it.
 */
export function sealKeyFingerprint(publicKeyPem: string): string {
  return `sha256:${hash('sha256', createPublicKey(publicKeyPem).export({ type: 'spki', format: 'der' }), 'hex')}`
}

function signManifest(manifest: Buffer, signingKey: KeyObject, publicKeyPem: string) {
  if (signingKey.asymmetricKeyType !== 'ed25519') throw new TypeError('A bag must be sealed with an Ed25519 key.')
  const publicKey = createPublicKey(publicKeyPem)
  const signature = sign(null, manifest, signingKey)
  if (!verify(null, manifest, publicKey, signature))
    throw new Error('The public key does not belong to the signing key.')
  // Exported again, so that only a public key can enter the bag, whichever PEM the caller passed.
  return { signature, publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString() }
}

function bagInfo(info: Readonly<Record<string, string>>): string {
  const lines = Object.entries(info).map(([label, value]) => {
    if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(label))
      throw new RangeError(`${JSON.stringify(label)} is not a valid label for bag-info.txt.`)
    if (/[\r\n]/.test(value)) throw new RangeError(`${label} in bag-info.txt must be a single line.`)
    return `${label}: ${value}\n`
  })
  return lines.join('')
}

/** The lines of `sha256sum`, which are also those of BagIt's manifests. */
const checksums = (files: readonly Checksum[]): string =>
  files.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join('')

const sha256 = (bytes: string | Buffer): string => hash('sha256', bytes, 'hex')
