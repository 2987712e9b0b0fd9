// Why above 300 lines: this file and the one that it imports are copied unchanged into verify.html of every archive.
// It checks an evidence-room-bundle-v1 with browser features only: no network, no library. The page /verify runs it too.
import { incrementalSha256, sha256Now } from './sha256.ts'

/** The result of one check. `detail` states what was confirmed, or what is wrong. */
export type BundleCheck = { name: string; ok: boolean; detail: string }
export type BundleReport = {
  /** Whether every check passed. This proves that the bundle is consistent; `fingerprint` identifies whose key sealed it. */
  ok: boolean
  checks: BundleCheck[]
  exportId: string
  /** SHA-256 of the key's DER in hex, to compare with the one that the service publishes. */
  fingerprint: string | undefined
}

type Bytes = Uint8Array<ArrayBuffer>
type Entry = { name: string; method: number; packed: number; size: number; offset: number }
type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type Note = { origin: string; size: number; root: string; text: string; signatures: { name: string; bytes: Bytes }[] }

class Broken extends Error {}

/** Larger files are hashed while they are read, so that an archive may be larger than memory. */
const wholeBytes = 64 * 1024 * 1024
/** The largest file that is read into memory as a whole: lists, signatures, and a day's leaves of 32 bytes per record. */
const mostBytes = 1024 * 1024 * 1024

/** What a check reads of an archive, by the path below its folder. Throws Broken for a file that is missing or damaged. */
type Archive = {
  has(path: string): boolean
  paths(): Iterable<string>
  bytes(path: string): Promise<Bytes>
  text(path: string): Promise<string>
  linesIn(path: string): AsyncGenerator<string>
  /** SHA-256 in hex; counts as progress. */
  digest(path: string): Promise<string>
}

/**
 * Checks a whole archive. Never throws because of its content. `said` receives each check as it completes, `progress` the
 * share of the files' bytes hashed so far, from 0 to 1.
 */
export async function verifyBundle(
  file: Blob,
  said?: (check: BundleCheck) => void,
  progress?: (share: number) => void,
): Promise<BundleReport> {
  const report: BundleReport = { ok: true, checks: [], exportId: '', fingerprint: undefined }
  const check = (name: string, work: () => Promise<string>) => makeCheck(report, name, work, said)
  let entries = new Map<string, Entry>()
  const readable = await check('Archive', async () => {
    const opened = await openZip(file)
    entries = opened.entries
    report.exportId = opened.exportId
    return `${entries.size} files, each listed once, all below evidence-room-${opened.exportId}.`
  })
  if (!readable) return report
  const archive = archiveOf(file, entries, progress)
  await check('Files', () => checkFiles(archive))
  await check('Description', () => checkDescription(archive))
  let manifest: Json = null
  await check('Seal', async () => {
    manifest = await signedManifest(archive, report)
    return await checkManifest(archive, manifest, report)
  })
  await check('Sigstore bundle', () => checkSigstore(archive, report))
  const days = member(manifest, 'days')
  const keys = archive.has('data/keys/vkeys.txt') ? (await archive.text('data/keys/vkeys.txt')).trim().split('\n') : []
  for (const day of Array.isArray(days) ? days : []) {
    const date = String(member(day, 'date'))
    if (archive.has(`data/proofs/${date}.leaves`))
      await check(`Log of ${date}`, () => checkDay(day, date, keys, archive))
    if (archive.has(`data/proofs/${date}.seal.tlog-proof`))
      await check(`Seal log, ${date}`, () => checkSealProof(date, keys, archive))
  }
  return report
}

/** Adds what `work` finds to the report; false when it throws. */
async function makeCheck(
  report: BundleReport,
  name: string,
  work: () => Promise<string>,
  said: ((check: BundleCheck) => void) | undefined,
): Promise<boolean> {
  const made: BundleCheck = await work().then(
    (detail) => ({ name, ok: true, detail }),
    (error: unknown) => ({ name, ok: false, detail: error instanceof Error ? error.message : String(error) }),
  )
  report.ok &&= made.ok
  report.checks.push(made)
  said?.(made)
  return made.ok
}

function archiveOf(
  file: Blob,
  entries: ReadonlyMap<string, Entry>,
  progress: ((share: number) => void) | undefined,
): Archive {
  const entryOf = (path: string): Entry => {
    const entry = entries.get(path)
    if (entry === undefined) throw new Broken(`${path} is missing.`)
    return entry
  }
  const total = [...entries.values()].reduce((sum, entry) => sum + entry.size, 0)
  let hashed = 0
  const read = (count: number) => {
    hashed += count
    progress?.(Math.min(1, hashed / total))
  }
  const bytes = async (path: string) => await readEntry(file, entryOf(path))
  return {
    has: (path) => entries.has(path),
    paths: () => entries.keys(),
    bytes,
    text: async (path) => utf8(await bytes(path)),
    linesIn: (path) => linesOf(pieces(file, entryOf(path))),
    digest: async (path) => await digestOf(file, entryOf(path), read),
  }
}

async function checkFiles({ text, digest, paths }: Archive): Promise<string> {
  const listed = await checkList(await text('manifest-sha256.txt'), digest)
  for (const name of paths())
    if (name.startsWith('data/') && !listed.has(name))
      throw new Broken(`${name} is not in the list of files, so it is not evidence.`)
  return `All ${listed.size} files below data/ match the listed SHA-256.`
}

async function checkDescription({ text, digest }: Archive): Promise<string> {
  const listed = await checkList(await text('tagmanifest-sha256.txt'), digest)
  for (const path of ['bagit.txt', 'manifest.json', 'manifest-sha256.txt'])
    if (!listed.has(path)) throw new Broken(`tagmanifest-sha256.txt does not list ${path}.`)
  return `The ${listed.size} files that describe the bundle match their list.`
}

/** The key in the archive; the report says its fingerprint. */
async function sealKey({ text }: Archive, report: BundleReport): Promise<CryptoKey> {
  const der = fromPem(await text('seal/seal.pub.pem'))
  report.fingerprint = hex(await sha256(der))
  return await crypto.subtle.importKey('spki', der, 'Ed25519', false, ['verify'])
}

async function signedManifest(archive: Archive, report: BundleReport): Promise<Json> {
  const key = await sealKey(archive, report)
  const signed = await archive.bytes('manifest.json')
  if (!(await crypto.subtle.verify('Ed25519', key, await archive.bytes('seal/manifest.json.sig'), signed)))
    throw new Broken('The signature does not match this manifest.json and this key.')
  return JSON.parse(utf8(signed))
}

async function checkManifest({ bytes }: Archive, manifest: Json, { exportId }: BundleReport): Promise<string> {
  const list = hex(await sha256(await bytes('manifest-sha256.txt')))
  if (member(manifest, 'payloadManifestSha256') !== list)
    throw new Broken('The signed manifest refers to a different list of files.')
  if (member(manifest, 'exportId') !== exportId) throw new Broken('The signed manifest belongs to a different export.')
  return 'The key signed this manifest, and the manifest covers the list of files.'
}

async function checkSigstore(archive: Archive, report: BundleReport): Promise<string> {
  const { bytes, text } = archive
  const key = await sealKey(archive, report)
  const statement = await checkEnvelope(await text('seal/bundle.sigstore.json'), key, report.fingerprint)
  const expected = ['manifest.json', 'tagmanifest-sha256.txt']
  for (const [index, path] of expected.entries()) {
    const subject = member(statement, 'subject')
    const named = Array.isArray(subject) && subject.length === expected.length ? subject[index] : undefined
    if (member(named, 'name') !== path)
      throw new Broken('The bundle names other files than this archive’s seal covers.')
    if (member(member(named, 'digest'), 'sha256') !== hex(await sha256(await bytes(path))))
      throw new Broken(`The bundle covers a different ${path}.`)
  }
  return 'The same key signed the same files in the Sigstore format.'
}

/**
 * The statement in a Sigstore bundle that the key signed (DSSE). The parts that the signature does not cover must be exactly
 * as the service writes them, so that every byte of the file is checked.
 */
async function checkEnvelope(bundle: string, key: CryptoKey, fingerprint: string | undefined): Promise<Json> {
  const envelope = member(JSON.parse(bundle), 'dsseEnvelope')
  const signatures = member(envelope, 'signatures')
  const payload = fromBase64(String(member(envelope, 'payload')))
  const sig = fromBase64(String(member(Array.isArray(signatures) ? signatures[0] : null, 'sig')))
  const keyid = `sha256:${fingerprint}`
  const written = {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { publicKey: { hint: keyid } },
    dsseEnvelope: { payload: toBase64(payload), payloadType, signatures: [{ sig: toBase64(sig), keyid }] },
  }
  if (`${JSON.stringify(written)}\n` !== bundle)
    throw new Broken('The bundle is malformed, or belongs to a different key.')
  // DSSE signs the type and the payload, each with its length.
  const signed = concat(encode(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `), payload)
  if (!(await crypto.subtle.verify('Ed25519', key, sig, signed)))
    throw new Broken('The signature does not match this statement and this key.')
  return JSON.parse(utf8(payload))
}

/** Checks that every record matches its leaf, the leaves give the root, and the root is in the signed checkpoint. */
async function checkDay(day: Json, date: string, keys: readonly string[], { bytes, linesIn }: Archive) {
  const leaves = await bytes(`data/proofs/${date}.leaves`)
  const note = parseNote(utf8(await bytes(`data/proofs/${date}.checkpoint`)))
  await checkSignature(note, keys)
  if (leaves.length !== note.size * 32)
    throw new Broken(`The archive has ${leaves.length / 32} leaves, but ${note.size} were signed.`)
  const root = treeRoot(leaves)
  if (hex(root) !== note.root) throw new Broken('The leaves do not give the signed root.')
  if (member(day, 'root') !== note.root || member(day, 'size') !== note.size)
    throw new Broken('The manifest names a different root than the checkpoint.')
  if (!note.origin.endsWith(`/audit/${date}`)) throw new Broken('The checkpoint belongs to a different log.')
  let records = 0
  for await (const line of linesIn(`data/audit/${date}.ndjson`)) {
    const { leaf, nonce, record } = JSON.parse(line)
    const digest = sha256Now(concat(recordDomain, fromHex(String(nonce)), encode(canonical(record))))
    if (leaf.digest !== `sha256:${hex(digest)}`)
      throw new Broken(`Record ${leaf.seq} does not match the logged digest.`)
    const own = sha256Now(concat(leafPrefix, encode(canonical(leaf))))
    const place = leaves.subarray(leaf.seq * 32, leaf.seq * 32 + 32)
    if (place.length !== 32 || !own.every((byte, index) => byte === place[index]))
      throw new Broken(`Record ${leaf.seq} does not match the leaf at its position.`)
    records += 1
  }
  return `${records} records match the log; all ${note.size} leaves of the day give the signed root.`
}

/** Checks that the day's checkpoint is a leaf of the signed log of closed days. */
async function checkSealProof(date: string, keys: readonly string[], { text }: Archive) {
  const proof = await text(`data/proofs/${date}.seal.tlog-proof`)
  const split = proof.indexOf('\n\n')
  const [header, indexLine = '', ...path] = proof.slice(0, split).split('\n')
  const note = parseNote(proof.slice(split + 2))
  const index = Number(/^index (\d+)$/.exec(indexLine)?.[1])
  if (header !== 'c2sp.org/tlog-proof@v1' || !(index < note.size)) throw new Broken('The proof is malformed.')
  if (!note.origin.endsWith('/seals')) throw new Broken('The proof belongs to a different log.')
  await checkSignature(note, keys)
  const entry = parseNote(await text(`data/proofs/${date}.checkpoint`)).text
  const leaf = await sha256(concat(Uint8Array.of(0), encode(entry)))
  if (hex((await climb(index, note.size, leaf, path.map(fromBase64))) ?? leaf.slice(0, 0)) !== note.root)
    throw new Broken('The path does not lead to the signed root of closed days.')
  return `The day is entry ${index} of ${note.size} in the signed log of closed days.`
}

async function climb(index: number, size: number, leaf: Bytes, path: readonly Bytes[]): Promise<Bytes | undefined> {
  let node = index
  let last = size - 1
  let own = leaf
  const half = (value: number) => Math.floor(value / 2)
  for (const sibling of path) {
    if (last === 0) return undefined
    const right = node % 2 === 1 || node === last
    own = await sha256(right ? concat(Uint8Array.of(1), sibling, own) : concat(Uint8Array.of(1), own, sibling))
    if (right) while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)]
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 ? own : undefined
}

/** RFC 6962 root: perfect subtrees are folded while the leaves are read. */
function treeRoot(leaves: Bytes): Bytes {
  const stack: Bytes[] = []
  const join = (left: Bytes | undefined, right: Bytes) =>
    left === undefined ? right : sha256Now(concat(nodePrefix, left, right))
  for (let count = 0; count * 32 < leaves.length; count++) {
    let node: Bytes = leaves.subarray(count * 32, count * 32 + 32)
    for (let rest = count; rest % 2 === 1; rest = Math.floor(rest / 2)) node = join(stack.pop(), node)
    stack.push(node)
  }
  let root = stack.pop()
  while (root !== undefined && stack.length > 0) root = join(stack.pop(), root)
  return root ?? sha256Now(new Uint8Array())
}

/** Parses a checkpoint, which is a signed note (c2sp.org/signed-note). */
function parseNote(note: string): Note {
  const split = note.lastIndexOf('\n\n')
  const text = note.slice(0, split + 1)
  const [origin = '', size = '', root = ''] = text.split('\n')
  if (split < 0 || !/^(0|[1-9]\d*)$/.test(size)) throw new Broken('A checkpoint is malformed.')
  const signatures = lines(note.slice(split + 2)).map((line) => {
    const [, name = '', encoded = ''] = /^— (\S+) (\S+)$/.exec(line) ?? []
    return { name, bytes: fromBase64(encoded) }
  })
  return { origin, size: Number(size), root: hex(fromBase64(root)), text, signatures }
}

async function checkSignature(note: Note, keys: readonly string[]): Promise<void> {
  for (const vkey of keys) {
    const [name = '', id = '', ...encoded] = vkey.split('+')
    const key = fromBase64(encoded.join('+'))
    const own = hex((await sha256(concat(encode(`${name}\n`), key))).slice(0, 4))
    if (name !== note.origin || key[0] !== 1 || own !== id) continue
    const publicKey = await crypto.subtle.importKey('raw', key.slice(1), 'Ed25519', false, ['verify'])
    for (const { name: by, bytes } of note.signatures)
      if (by === name && hex(bytes.slice(0, 4)) === id)
        if (await crypto.subtle.verify('Ed25519', publicKey, bytes.slice(4), encode(note.text))) return
  }
  throw new Broken(`No key in data/keys/vkeys.txt signed the checkpoint of ${note.origin}.`)
}

/** Checks every line of a `sha256sum` list and returns the paths. */
async function checkList(list: string, digestOf: (path: string) => Promise<string>): Promise<Set<string>> {
  const paths = new Set<string>()
  for (const line of lines(list)) {
    const [, digest = '', path = ''] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? []
    if (path === '' || paths.has(path)) throw new Broken('A list of files is malformed.')
    if ((await digestOf(path)) !== digest) throw new Broken(`${path} was changed.`)
    paths.add(path)
  }
  return paths
}

/** RFC 8785 for values from JSON.parse: numbers as JavaScript writes them, members in the order of UTF-16 units. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`
}

const endSize = 22
/** The central directory of a ZIP or ZIP64. Rejects names that occur twice, leave the folder or differ from the local ones. */
async function openZip(file: Blob): Promise<{ entries: Map<string, Entry>; exportId: string }> {
  const tailAt = Math.max(0, file.size - endSize - 65_535)
  const tail = await view(file, tailAt, file.size)
  let at = tail.byteLength - endSize
  while (at >= 0 && tail.getUint32(at, true) !== 0x06054b50) at--
  if (at < 0) throw new Broken('Not a ZIP archive.')
  let [count, start] = [tail.getUint16(at + 10, true), tail.getUint32(at + 16, true)]
  if (at >= 20 && tail.getUint32(at - 20, true) === 0x07064b50) {
    const end = Number(tail.getBigUint64(at - 12, true))
    const record = await view(file, end, end + 56)
    if (record.getUint32(0, true) !== 0x06064b50) throw new Broken('The ZIP64 record is damaged.')
    count = Number(record.getBigUint64(32, true))
    start = Number(record.getBigUint64(48, true))
  }
  const directory = await view(file, start, tailAt + at)
  const entries = new Map<string, Entry>()
  let top: string | undefined
  for (let index = 0, place = 0; index < count; index++) {
    if (directory.getUint32(place, true) !== 0x02014b50) throw new Broken('The archive’s directory is damaged.')
    const [nameLength, extraLength, comment] = [28, 30, 32].map((field) => directory.getUint16(place + field, true))
    const name = slice(directory, place + 46, nameLength ?? 0)
    const entry = sizes(directory, place, place + 46 + (nameLength ?? 0), extraLength ?? 0)
    place += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (comment ?? 0)
    const [folder = '', ...path] = name.split('/')
    top ??= folder
    const inner = path.join('/')
    if (folder !== top || inner === '' || path.some((part) => part === '' || part === '.' || part === '..'))
      throw new Broken(`The name ${JSON.stringify(name)} does not belong in a bundle.`)
    if (entries.has(inner)) throw new Broken(`${inner} is in the archive twice.`)
    entries.set(inner, { name, ...entry })
  }
  const exportId = /^evidence-room-([A-Za-z0-9-]{1,64})$/.exec(top ?? '')?.[1]
  if (exportId === undefined) throw new Broken('Not an evidence archive of Countersign.')
  return { entries, exportId }
}

function sizes(directory: DataView<ArrayBuffer>, place: number, extraAt: number, extraLength: number) {
  const method = directory.getUint16(place + 10, true)
  let [packed, size, offset] = [20, 24, 42].map((field) => directory.getUint32(place + field, true)) as [
    number,
    number,
    number,
  ]
  for (let at = extraAt; at + 4 <= extraAt + extraLength; at += 4 + directory.getUint16(at + 2, true)) {
    if (directory.getUint16(at, true) !== 1) continue
    let field = at + 4
    const long = () => {
      field += 8
      return Number(directory.getBigUint64(field - 8, true))
    }
    if (size === 0xffffffff) size = long()
    if (packed === 0xffffffff) packed = long()
    if (offset === 0xffffffff) offset = long()
  }
  return { method, packed, size, offset }
}

/** The unpacked bytes as they arrive. Stops early if they exceed the size in the archive’s directory. */
async function* pieces(file: Blob, { name, method, packed, size, offset }: Entry): AsyncGenerator<Bytes> {
  const header = await view(file, offset, offset + 30)
  const [nameLength, extraLength] = [header.getUint16(26, true), header.getUint16(28, true)]
  const start = offset + 30 + nameLength + extraLength
  const local = utf8(new Uint8Array(await file.slice(offset + 30, offset + 30 + nameLength).arrayBuffer()))
  if (header.getUint32(0, true) !== 0x04034b50 || local !== name) throw new Broken(`${name} is damaged in the archive.`)
  const body = file.slice(start, start + packed)
  if (method !== 0 && method !== 8) throw new Broken(`${name} uses an unknown compression method.`)
  const stream = method === 0 ? body.stream() : body.stream().pipeThrough(new DecompressionStream('deflate-raw'))
  const reader = stream.getReader()
  let read = 0
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      read += next.value.length
      if (read > size) break
      yield next.value
    }
  } finally {
    await reader.cancel()
  }
  if (read !== size) throw new Broken(`${name} does not have the size in the archive’s directory.`)
}

async function readEntry(file: Blob, entry: Entry): Promise<Bytes> {
  if (entry.size > mostBytes) throw new Broken(`${entry.name} is too large to be checked in a browser.`)
  const parts: Bytes[] = []
  for await (const piece of pieces(file, entry)) parts.push(piece)
  return concat(...parts)
}

/** SHA-256 in hex; `read` receives the number of bytes read each time. */
async function digestOf(file: Blob, entry: Entry, read: (count: number) => void): Promise<string> {
  if (entry.size <= wholeBytes) {
    const bytes = await readEntry(file, entry)
    read(bytes.length)
    return hex(await sha256(bytes))
  }
  const hash = incrementalSha256()
  for await (const piece of pieces(file, entry)) {
    hash.update(piece)
    read(piece.length)
  }
  return hex(hash.digest())
}

async function* linesOf(text: AsyncIterable<Bytes>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let rest = ''
  for await (const piece of text) {
    const [first = '', ...more] = decoder.decode(piece, { stream: true }).split('\n')
    rest += first
    for (const next of more) {
      if (rest !== '') yield rest
      rest = next
    }
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}

const view = async (file: Blob, from: number, to: number) => new DataView(await file.slice(from, to).arrayBuffer())
const slice = (from: DataView<ArrayBuffer>, at: number, length: number) => utf8(new Uint8Array(from.buffer, at, length))
const utf8 = (bytes: Bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
const encoder = new TextEncoder()
const encode = (text: string): Bytes => encoder.encode(text)
const payloadType = 'application/vnd.in-toto+json'
const recordDomain = encode('agcp.audit.record.v1\n')
const leafPrefix = Uint8Array.of(0)
const nodePrefix = Uint8Array.of(1)
const lines = (text: string) => text.split('\n').filter((line) => line !== '')
const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
function hex(bytes: Bytes): string {
  let text = ''
  for (const byte of bytes) text += hexOf[byte]
  return text
}
function fromHex(text: string): Bytes {
  const bytes = new Uint8Array(text.length >> 1)
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(text.slice(2 * at, 2 * at + 2), 16)
  return bytes
}
const fromBase64 = (text: string): Bytes => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
const toBase64 = (bytes: Bytes): string => btoa(String.fromCharCode(...bytes))
const fromPem = (pem: string): Bytes => fromBase64(pem.replaceAll(/-----[^-]+-----|\s/g, ''))
const sha256 = async (bytes: Bytes): Promise<Bytes> => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
const member = (value: Json | undefined, name: string): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value[name] : undefined

function concat(...parts: Bytes[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
