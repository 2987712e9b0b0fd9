import { type Archive, checkSize } from './archive.ts'
import {
  Broken,
  type Bytes,
  concat,
  encode,
  fromBase64,
  isCanonical,
  type Json,
  lines,
  member,
  parseJson,
  sameBytes,
  textMember,
  toBase64,
  utf8,
} from './bytes.ts'
import { scopeOf } from './days.ts'
import { most } from './limits.ts'
import { derOfEd25519, fingerprintOf } from './origin.ts'
import type { About } from './report.ts'

/** The lists of SHA-256 and the signatures: whether these are the bytes that were sealed. */

/** Files that no list names, because they sign the lists; optional ones are allowed, the others demanded. */
const sealsOf = (version: number) => ({
  demanded: [
    'tagmanifest-sha256.txt',
    'seal/manifest.json.sig',
    'seal/seal.pub.pem',
    'seal/bundle.sigstore.json',
    ...(version === 1 ? [] : ['seal/tagmanifest-sha256.txt.sig']),
  ],
  optional: version === 1 ? [] : [timeStamp],
})

/** RFC 3161, over manifest.json. */
export const timeStamp = 'seal/manifest.json.tsr'

const tagsOf = (version: number): string[] => [
  ...['bagit.txt', 'bag-info.txt', 'README.txt', 'verify.html', 'manifest.json', 'manifest-sha256.txt'],
  ...(version === 1 ? [] : ['verify.mjs', 'bagit-profile.json']),
]

export async function checkFiles(archive: Archive): Promise<Map<string, FileFacts>> {
  const listed = await checkList(archive, 'manifest-sha256.txt')
  for (const path of listed.keys())
    if (!path.startsWith('data/')) throw new Broken(`manifest-sha256.txt lists ${path}, which is not below data/.`)
  for (const path of archive.paths())
    if (path.startsWith('data/') && !listed.has(path))
      throw new Broken(`${path} is not in the list of files, so it is not evidence.`)
  return listed
}

export async function checkDescription(archive: Archive, version: number): Promise<string> {
  const listed = await checkList(archive, 'tagmanifest-sha256.txt')
  const { demanded, optional } = sealsOf(version)
  for (const path of tagsOf(version))
    if (!listed.has(path)) throw new Broken(`tagmanifest-sha256.txt does not list ${path}.`)
  for (const path of demanded) if (!archive.has(path)) throw new Broken(`${path} is missing.`)
  for (const path of archive.paths())
    if (!path.startsWith('data/') && !listed.has(path) && ![...demanded, ...optional].includes(path))
      throw new Broken(`${path} is in no list of files, so nothing vouches for it.`)
  if ((await archive.text('bagit.txt')) !== 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n')
    throw new Broken('bagit.txt is not that of a BagIt 1.0 bag.')
  return `The ${listed.size} files that describe the archive match their list.`
}

export type FileFacts = { sha256: string; lines: number; bytes: number }

/** Checks every line of a `sha256sum` list; what each listed file is. */
async function checkList(archive: Archive, list: string): Promise<Map<string, FileFacts>> {
  const files = new Map<string, FileFacts>()
  for (const line of linesOfText(await listText(archive, list))) {
    const { path, listed } = readListed(line, list)
    if (files.has(path)) throw new Broken(`${list} is malformed.`)
    if (!path.startsWith('data/')) checkSize(path, archive.size(path), most.tagBytes)
    const { sha256, lines: count } = await archive.digest(path)
    if (sha256 !== listed) throw new Broken(`${path} was changed.`)
    files.set(path, { sha256, lines: count, bytes: archive.size(path) })
  }
  return files
}

export async function listText(archive: Archive, list: string): Promise<string> {
  const text = await archive.text(list, most.listBytes)
  if (!text.endsWith('\n')) throw new Broken(`${list} is truncated.`)
  return text
}

export function readListed(line: string, list: string): { path: string; listed: string } {
  const [, listed = '', path = ''] = /^([0-9a-f]{64}) {2}(\S+)$/.exec(line) ?? []
  if (path === '') throw new Broken(`${list} is malformed.`)
  return { path, listed }
}

/** One after the other: a text may have millions. */
export function* linesOfText(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    yield text.slice(at, end)
    at = end + 1
  }
}

/** manifest.json before anything vouches for it: JSON in its one canonical spelling. */
export async function readManifest(archive: Archive): Promise<Json> {
  const text = await archive.text('manifest.json', most.manifestBytes)
  const manifest = parseJson(text, 'manifest.json', most.manifestValues)
  if (!isCanonical(text, manifest)) throw new Broken('manifest.json is not in canonical form (RFC 8785).')
  return manifest
}

/** The archive's own key signed manifest.json; SHA-256 of that key's DER in hex. */
export async function checkSignature(archive: Archive): Promise<string> {
  const { key, fingerprint } = await sealKey(archive)
  if (!(await signedBy(archive, key, 'manifest.json')))
    throw new Broken('The signature does not match this manifest.json and this key.')
  return fingerprint
}

/** From version 2 on the list of the files that describe the archive is signed like the manifest. */
export async function checkTagSignature(archive: Archive): Promise<string> {
  const { key } = await sealKey(archive)
  if (!(await signedBy(archive, key, 'tagmanifest-sha256.txt')))
    throw new Broken('The signature does not match this tagmanifest-sha256.txt and this key.')
  return 'The same key signed the list of the files that describe the archive.'
}

const signedBy = async ({ bytes }: Archive, key: CryptoKey, path: string): Promise<boolean> =>
  await crypto.subtle.verify('Ed25519', key, await bytes(`seal/${path}.sig`), await bytes(path, most.manifestBytes))

/** The key in the archive, and SHA-256 of its DER. Its PEM has exactly one spelling. */
async function sealKey({ text }: Archive): Promise<{ key: CryptoKey; fingerprint: string }> {
  const pem = await text('seal/seal.pub.pem')
  const [, encoded = ''] = /^-----BEGIN PUBLIC KEY-----\n([A-Za-z0-9+/=]+)\n-----END PUBLIC KEY-----\n$/.exec(pem) ?? []
  if (encoded === '') throw new Broken('seal/seal.pub.pem is not a public key in PEM.')
  const der = fromBase64(encoded)
  if (der.length !== derOfEd25519.length + 32 || !sameBytes(der.slice(0, derOfEd25519.length), derOfEd25519))
    throw new Broken('seal/seal.pub.pem is not an Ed25519 key.')
  const key = await crypto.subtle.importKey('spki', der, 'Ed25519', false, ['verify'])
  return { key, fingerprint: await fingerprintOf(der) }
}

/** The signed manifest describes exactly the files that are there. */
export async function checkManifest(
  archive: Archive,
  {
    manifest,
    version,
    exportId,
    files,
  }: { manifest: Json; version: number; exportId: string; files: ReadonlyMap<string, FileFacts> },
): Promise<string> {
  const list = await archive.digest('manifest-sha256.txt')
  if (member(manifest, 'payloadManifestSha256') !== list.sha256)
    throw new Broken('The signed manifest refers to a different list of files.')
  if (member(manifest, 'exportId') !== exportId) throw new Broken('The signed manifest belongs to a different export.')
  const described = member(manifest, 'files')
  if (!Array.isArray(described) || described.length !== files.size)
    throw new Broken('The signed manifest does not describe all files.')
  const stated = member(manifest, 'counts')
  const counts = new Map<string, number>()
  for (const one of described) {
    const path = textMember(one, 'path', 'A file in the manifest')
    const facts = files.get(path)
    const records = member(one, 'records')
    if (facts === undefined || member(one, 'sha256') !== facts.sha256 || member(one, 'bytes') !== facts.bytes)
      throw new Broken(`The signed manifest describes a different ${path}.`)
    // Archives of version 1 may lack the number.
    if (records === undefined && version > 1 && path.endsWith('.ndjson'))
      throw new Broken(`The signed manifest does not count the records in ${path}.`)
    if (records !== undefined && records !== facts.lines)
      throw new Broken(`The signed manifest counts ${String(records)} records in ${path}; it has ${facts.lines}.`)
    // Archives without a list of traces counted everything in the folder as traces.
    const kind = files.has('data/traces.ndjson') ? kindOf(path) : firstKindOf(path)
    if (records !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + facts.lines)
  }
  for (const kind of Object.keys(typeof stated === 'object' && stated !== null ? stated : {}))
    if (!counts.has(kind)) throw new Broken(`The signed manifest counts ${kind}, but no file has them.`)
  for (const [kind, count] of counts)
    if (member(stated, kind) !== count)
      throw new Broken(`The signed manifest counts ${String(member(stated, kind))} ${kind}; there are ${count}.`)
  const info = await archive.text('bag-info.txt')
  const bytes = [...files.values()].reduce((sum, file) => sum + file.bytes, 0)
  if (
    !lines(info).includes(`Payload-Oxum: ${bytes}.${files.size}`) ||
    !lines(info).includes(`External-Identifier: ${exportId}`)
  )
    throw new Broken('bag-info.txt describes a different archive.')
  return 'The key signed this manifest, and the manifest describes every file.'
}

/** `data/agents.ndjson` counts as agents, the days' files of a folder together under its name. */
const firstKindOf = (path: string): string => (path.split('/')[1] ?? '').replace(/\.ndjson$/, '')

/** The same, except that `data/traces/<day>.spans.ndjson` counts as spans, and so on. */
export const kindOf = (path: string): string =>
  /^data\/traces\/[^./]+\.([a-z]+)\.ndjson$/.exec(path)?.[1] ?? firstKindOf(path)

export async function checkSigstore(archive: Archive, formatVersion: number): Promise<string> {
  const { key, fingerprint } = await sealKey(archive)
  const statement = await checkEnvelope(
    await archive.text('seal/bundle.sigstore.json'),
    key,
    fingerprint,
    formatVersion,
  )
  const expected = ['manifest.json', 'tagmanifest-sha256.txt']
  const subject = member(statement, 'subject')
  if (!Array.isArray(subject) || subject.length !== expected.length)
    throw new Broken('The Sigstore bundle names other files than the seal covers.')
  for (const [index, path] of expected.entries()) {
    if (member(subject[index], 'name') !== path)
      throw new Broken('The Sigstore bundle names other files than the seal covers.')
    if (member(member(subject[index], 'digest'), 'sha256') !== (await archive.digest(path)).sha256)
      throw new Broken(`The Sigstore bundle covers a different ${path}.`)
  }
  return 'The same key signed the lists of all files in the Sigstore format.'
}

const payloadType = 'application/vnd.in-toto+json'

/**
 * The statement in a Sigstore bundle that the key signed (DSSE). What the signature does not cover must be exactly as the
 * service writes it, so that every byte of the file is checked. From version 2 the key id of the signature is empty.
 */
async function checkEnvelope(
  bundle: string,
  key: CryptoKey,
  fingerprint: string,
  formatVersion: number,
): Promise<Json> {
  const envelope = member(parseJson(bundle, 'The Sigstore bundle'), 'dsseEnvelope')
  const signatures = member(envelope, 'signatures')
  const payload = fromBase64(textMember(envelope, 'payload', 'The Sigstore bundle'))
  const sig = fromBase64(textMember(Array.isArray(signatures) ? signatures[0] : null, 'sig', 'The Sigstore bundle'))
  const keyid = `sha256:${fingerprint}`
  const written = {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { publicKey: { hint: keyid } },
    dsseEnvelope: {
      payload: toBase64(payload),
      payloadType,
      signatures: [{ sig: toBase64(sig), keyid: formatVersion === 1 ? keyid : '' }],
    },
  }
  if (`${JSON.stringify(written)}\n` !== bundle)
    throw new Broken('The Sigstore bundle is malformed, or belongs to a different key.')
  // DSSE signs the type and the payload, each with its length.
  const signed: Bytes = concat(encode(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `), payload)
  if (!(await crypto.subtle.verify('Ed25519', key, sig, signed)))
    throw new Broken('The signature of the Sigstore bundle does not match its statement and this key.')
  return parseJson(utf8(payload), 'The statement in the Sigstore bundle')
}

/** What the manifest says of the archive. Broken when it lacks something that every archive has. */
export function aboutOf(manifest: Json, sealed: boolean): About {
  const of = 'manifest.json'
  if (member(manifest, 'type') !== 'evidence-room-bundle-v1')
    throw new Broken('The manifest is of another kind of archive.')
  const version = member(manifest, 'formatVersion') ?? 1
  if (version !== 1 && version !== 2)
    throw new Broken(`The archive has format version ${String(version)}; this verifier supports 1 and 2.`)
  const tenant = member(manifest, 'tenant')
  const [period, requested] = [member(manifest, 'period'), member(manifest, 'requestedPeriod')]
  const options = member(manifest, 'options')
  const counts = member(manifest, 'counts')
  const days = member(manifest, 'days')
  const authority = member(manifest, 'timeStampAuthority')
  if (!Array.isArray(days)) throw new Broken('The manifest does not name the days of the log.')
  return {
    sealed,
    exportId: textMember(manifest, 'exportId', of),
    formatVersion: version,
    tenant: { externalId: textMember(tenant, 'externalId', of), name: textMember(tenant, 'name', of) },
    period: { start: textMember(period, 'start', of), end: textMember(period, 'end', of) },
    requested:
      version === 1 ? undefined : { start: textMember(requested, 'start', of), end: textMember(requested, 'end', of) },
    sealedAt: textMember(manifest, 'sealedAt', of),
    scope: scopeOf(manifest),
    timeStampAuthority: typeof authority === 'string' ? authority : undefined,
    masked: member(options, 'masked') === true,
    withProofs: member(options, 'includeProofs') === true,
    contents: Object.entries(typeof counts === 'object' && counts !== null ? counts : {}).flatMap(([name, records]) =>
      typeof records === 'number' ? [{ name, records }] : [],
    ),
    omissions: [],
    openDays: days.filter((day) => member(day, 'open') === true).map((day) => String(member(day, 'date'))),
  }
}
