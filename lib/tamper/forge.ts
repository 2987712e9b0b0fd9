import { type Archive, archiveOf } from '#lib/verify/archive.ts'
import {
  type Bytes,
  canonical,
  concat,
  encode,
  hex,
  type Json,
  lines,
  member,
  parseJson,
  toBase64,
} from '#lib/verify/bytes.ts'
import { openZip } from '#lib/verify/container/zip.ts'
import { most } from '#lib/verify/limits.ts'
import { derOfEd25519, fingerprintOf } from '#lib/verify/origin.ts'
import { kindOf } from '#lib/verify/seal.ts'
import { repacked } from './repack.ts'

/** How far a forger goes: only the change, also the lists of hashes, or also the signatures, with a key of their own. */
export type Effort = 'change' | 'lists' | 'signatures'

/** The archive with these files replaced, and everything consistent that `effort` can make consistent. */
export async function forged(file: Blob, changes: ReadonlyMap<string, Bytes>, effort: Effort): Promise<Blob> {
  if (effort === 'change') return await repacked(file, changes)
  const { entries } = await openZip(file)
  const archive = archiveOf(file, entries, undefined)
  const all = new Map(changes)
  const read = async (path: string): Promise<Bytes> => all.get(path) ?? (await archive.bytes(path, most.manifestBytes))
  const write = (path: string, text: string) => void all.set(path, encode(text))

  write('manifest-sha256.txt', await listOf(archive, 'manifest-sha256.txt', all))
  const pair = effort === 'signatures' ? await newKey() : undefined
  write('manifest.json', canonical(await redescribed(archive, await read('manifest-sha256.txt'), all, pair)))
  const oxum = /"payloadOxum":"([\d.]+)"/.exec(text(await read('manifest.json')))?.[1] ?? ''
  write('bag-info.txt', text(await read('bag-info.txt')).replace(/Payload-Oxum: .*/, `Payload-Oxum: ${oxum}`))
  write('tagmanifest-sha256.txt', await listOf(archive, 'tagmanifest-sha256.txt', all))
  if (pair === undefined) return await repacked(file, all)

  const signed = ['manifest.json', 'tagmanifest-sha256.txt'] as const
  for (const path of signed) all.set(`seal/${path}.sig`, await pair.sign(await read(path)))
  write('seal/seal.pub.pem', `-----BEGIN PUBLIC KEY-----\n${toBase64(pair.der)}\n-----END PUBLIC KEY-----\n`)
  const subjects = await Promise.all(signed.map(async (path) => ({ path, sha256: await sha256(await read(path)) })))
  write('seal/bundle.sigstore.json', await bundleOf(subjects, pair))
  return await repacked(file, all)
}

const text = (bytes: Bytes): string => new TextDecoder().decode(bytes)
const sha256 = async (bytes: Bytes): Promise<string> =>
  hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))

/** A list of hashes, with those of the changed files. */
async function listOf(archive: Archive, list: string, changes: ReadonlyMap<string, Bytes>): Promise<string> {
  const listed = await Promise.all(
    lines(await archive.text(list, most.listBytes)).map(async (line) => {
      const content = changes.get(line.slice(66))
      return content === undefined ? line : `${await sha256(content)}  ${line.slice(66)}`
    }),
  )
  return `${listed.join('\n')}\n`
}

type Key = { der: Bytes; fingerprint: string; sign: (bytes: Bytes) => Promise<Bytes> }

async function newKey(): Promise<Key> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])
  const der = concat(derOfEd25519, new Uint8Array(await crypto.subtle.exportKey('raw', publicKey)))
  return {
    der,
    fingerprint: `sha256:${await fingerprintOf(der)}`,
    sign: async (bytes) => new Uint8Array(await crypto.subtle.sign('Ed25519', privateKey, bytes)),
  }
}

/** The manifest, describing the changed files. */
async function redescribed(
  archive: Archive,
  list: Bytes,
  changes: ReadonlyMap<string, Bytes>,
  key: Key | undefined,
): Promise<Json> {
  const manifest = parseJson(await archive.text('manifest.json', most.manifestBytes), 'manifest.json')
  if (typeof manifest !== 'object' || manifest === null || Array.isArray(manifest)) return manifest
  const described = Array.isArray(manifest.files) ? manifest.files : []
  const counts: { [kind: string]: Json } = {}
  let bytes = 0
  const files = await Promise.all(
    described.map(async (file): Promise<Json> => {
      const content = changes.get(String(member(file, 'path')))
      if (content === undefined || typeof file !== 'object' || file === null || Array.isArray(file)) return file
      const records: { [name: string]: Json } =
        typeof file.records === 'number' ? { records: lines(text(content)).length } : {}
      return { ...file, ...records, bytes: content.length, sha256: await sha256(content) }
    }),
  )
  for (const file of files) {
    const [path, records] = [String(member(file, 'path')), member(file, 'records')]
    bytes += Number(member(file, 'bytes'))
    if (typeof records === 'number') counts[kindOf(path)] = Number(counts[kindOf(path)] ?? 0) + records
  }
  const signer: { [name: string]: Json } =
    key === undefined ? {} : { signer: { keyId: 'forged', fingerprint: key.fingerprint } }
  const payloadManifestSha256 = await sha256(list)
  return { ...manifest, files, counts, payloadOxum: `${bytes}.${files.length}`, payloadManifestSha256, ...signer }
}

async function bundleOf(subjects: readonly { path: string; sha256: string }[], key: Key): Promise<string> {
  const payloadType = 'application/vnd.in-toto+json'
  const payload = encode(
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: subjects.map(({ path, sha256: digest }) => ({ name: path, digest: { sha256: digest } })),
      predicateType: 'https://countersign.dev/evidence-room-bundle/v1',
      predicate: {},
    }),
  )
  const sig = await key.sign(concat(encode(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `), payload))
  const dsseEnvelope = {
    payload: toBase64(payload),
    payloadType,
    signatures: [{ sig: toBase64(sig), keyid: '' }],
  }
  const verificationMaterial = { publicKey: { hint: key.fingerprint } }
  const mediaType = 'application/vnd.dev.sigstore.bundle.v0.3+json'
  return `${JSON.stringify({ mediaType, verificationMaterial, dsseEnvelope })}\n`
}
